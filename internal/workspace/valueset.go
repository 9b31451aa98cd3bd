package workspace

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/source"
)

// valueSets returns the sets of values that a chart is rendered with, in addition to its default values: those of its
// tests, of the configuration, and of the objects that deploy it. There are none if flags set values. If there are old
// objects, only the sets of objects count: the old objects are those of the default values, and of these sets. Rules about several objects know only the objects of the default values.
func (u *chartUnit) valueSets(w *worker, files []chart.File) ([]chart.Set, error) {
	switch o := w.pool.plan.options; {
	case !o.Chart.Values.IsZero() || w.pool.only != nil:
		return nil, nil
	case o.Files.Old != "":
		return slices.DeleteFunc(slices.Clone(u.sets), func(s chart.Set) bool { return s.At.IsZero() }), nil
	}
	tests, err := u.ReadTestValues(w.tree(), files)
	return slices.Concat(chart.TestSets(u.Name, tests), u.sets), err
}

// maxSets is the maximum number of sets of values that a chart is rendered with. In 29 public repositories, a chart has at
// most 20 in its directory ci; one with hundreds would be a reason for a limit of what they cost instead of their number.
const maxSets = 200

// setsNotUsed returns the finding that a chart has too many sets.
func setsNotUsed(name string, count int) diag.Violation {
	return diag.Violation{
		Rule: diag.ReaderLimit, Severity: diag.Warning, Place: source.FileStart(name),
		Message: fmt.Sprintf("only the first %d of %d sets of values are used", maxSets, count),
	}
}

// checkSet checks a chart with a set of values.
func (c *chartCheck) checkSet(ctx context.Context, set *chart.Set) {
	rendered := set.Render(c.loaded, c.options)
	if !rendered.IsFailed {
		c.defaults.add(set)
	}
	c.known.next(set)
	c.check(ctx, rendered, set)
}

// rendering is what a template of a chart wrote with a set of values.
type rendering struct {
	supplied
	known   *knownFindings // with other sets; nil if there is one
	isFirst bool           // the template wrote nothing with the sets before
	// partial is the set, if other values are not known; otherwise nil.
	partial *chart.Set
	// mayChange reports whether something else may change a value before it is applied; nil if nothing does.
	mayChange func(diag.Object, diag.Path) bool
	// held is the result if the values are the default ones, and no flags set others; otherwise nil. findCauses is nil if
	// the values are not known.
	held       *heldResult
	findCauses func(*check.Result, *source.Source) []*chart.Unset
	lowerLong  func(*check.Result, []*chart.Unset) []*chart.Unset
	isFilled   bool // values were set for which the chart failed
	// isServerSide means that an upgrade applies the objects on the server.
	isServerSide bool
}

// rendering returns the writer of an output. set is nil for the default values.
func (c *chartCheck) rendering(output *chart.Output, set *chart.Set, isFirst bool) *rendering {
	r := &rendering{supplied: output.Supplied, known: c.known, isFirst: isFirst, isServerSide: output.IsServerSide()}
	switch {
	case set == nil && (c.isAnswered || c.isFilled):
		r.partial, r.isFilled = &chart.Set{}, c.isFilled
	case set != nil && set.IsPartial:
		r.partial = set
	}
	if set != nil {
		r.mayChange = set.MayChange
	} else if c.worker.pool.plan.options.Chart.Values.IsZero() && !c.isFilled {
		r.held = &heldResult{text: heldText{output.Name, sha256.Sum256([]byte(output.Source.Text))}}
	}
	if r.partial == nil && c.worker.pool.only == nil {
		r.findCauses = func(o *check.Result, src *source.Source) []*chart.Unset {
			return c.findCauses(output, r.held != nil, o, src)
		}
		r.lowerLong = c.defaults.lowerLong
	}
	return r
}

func (r *rendering) place(o *check.Result, src *source.Source) {
	o.DropExponents(src, r.supplied)
	for i := range o.Details {
		o.Details[i].IsServerSide = r.isServerSide
	}
	var causes []*chart.Unset
	if r.findCauses != nil {
		causes = r.findCauses(o, src)
	}
	r.supplied.place(o, src)
	nameCauses(o, causes)
	if r.lowerLong != nil {
		causes = r.lowerLong(o, causes)
	}
	if r.held != nil {
		r.held.causes = causes
		lowerEmpty(o)
	}
	if r.partial != nil {
		dropUncertain(o, src, r.partial)
	}
	if r.mayChange != nil {
		dropChanged(o, r.mayChange)
	}
}

func (r *rendering) keep(o *check.Result) {
	if r.known != nil {
		r.known.filter(o, r.isFirst)
	}
	if r.isFilled {
		o.Drop(func(v *diag.Violation) bool { return v.Severity < diag.Error })
		o.Records, o.Objects, o.NotManifests = sets.Records{}, nil, nil
	}
}

// dropUncertain drops the errors that values which are not known may prevent: those in what an action wrote, unless a value
// of the object supplied it. If other fields are hidden, it has to be all of the value. Their rules were not evaluated.
func dropUncertain(r *check.Result, src *source.Source, set *chart.Set) {
	r.Drop(func(v *diag.Violation) bool {
		isWritten := v.Rule == diag.MissingField
		for _, related := range v.Related {
			if related.IsSupplier && slices.Contains(set.Certain, related.Place.File) &&
				!(set.HidesFields && (isOfFields(v.Rule) || !strings.Contains(related.Place.Excerpt().Text, foundIn(src, v.Place)))) {
				return false
			}
			isWritten = isWritten || related.IsSupplier || strings.HasPrefix(related.Message, "rendered as: ")
		}
		if v.Severity != diag.Error || !isWritten {
			return false
		}
		r.NotEvaluated = append(r.NotEvaluated, v.NotEvaluated(diag.ValueReplaced))
		return true
	})
}

// isOfFields reports whether another field of a map may prevent the errors of a rule.
func isOfFields(rule diag.Rule) bool {
	return slices.Contains([]diag.Rule{diag.MissingField, diag.BadCount, diag.NoMatch, diag.BadValue, diag.CEL}, rule)
}

// changedLater is the reason why an error does not count that a post-renderer may prevent.
const changedLater = "postRenderers may change it"

// dropChanged drops the errors in values that something may change. Their rules were not evaluated.
func dropChanged(r *check.Result, mayChange func(diag.Object, diag.Path) bool) {
	r.Drop(func(v *diag.Violation) bool {
		if v.Severity != diag.Error || v.Object.Kind == "" || !mayChange(v.Object, v.Path) {
			return false
		}
		r.NotEvaluated = append(r.NotEvaluated, v.NotEvaluated(changedLater))
		return true
	})
}

// isNew reports whether a template has not written the same text before. isFirst reports whether it has written
// nothing.
func (c *chartCheck) isNew(o *chart.Output) (isNew, isFirst bool) {
	if c.known == nil {
		return true, true
	}
	texts, hash := c.texts[o.Name], sha256.Sum256([]byte(o.Source.Text))
	if slices.Contains(texts, hash) {
		c.defaults.confirm(c.known.set, heldText{o.Name, hash})
		return false, false
	}
	c.texts[o.Name] = append(texts, hash)
	return true, len(texts) == 0
}

// knownFindings are the findings in a chart with the sets of values so far.
type knownFindings struct {
	set              *chart.Set // nil for the default values
	earlier, current map[knownFinding]bool
	// confirmed are the errors that appear with sets whose values are all known.
	confirmed map[knownFinding]bool
}

// knownFinding identifies a finding, with whatever values it appears.
type knownFinding struct {
	rule                 diag.Rule
	message, kind, field string
	file                 string
	span                 source.Span
}

// findingOf returns what identifies a finding.
func findingOf(v *diag.Violation) knownFinding {
	return knownFinding{v.Rule, v.Message, v.Object.Kind, v.Path.String(), v.Place.File, v.Place.Span}
}

// next starts the next set.
func (k *knownFindings) next(set *chart.Set) {
	for key := range k.current {
		k.earlier[key] = true
	}
	k.set, k.current = set, map[knownFinding]bool{}
}

// isKnown records a finding, and reports whether it appears with an earlier set.
func (k *knownFindings) isKnown(v *diag.Violation) bool {
	key := findingOf(v)
	if k.current == nil {
		k.current = map[knownFinding]bool{}
	}
	k.current[key] = true
	if k.set != nil && !k.set.IsPartial && v.Severity == diag.Error {
		k.confirmed[key] = true
	}
	return k.earlier[key]
}

// unknown returns the findings that do not appear with earlier sets. They name the set.
func (k *knownFindings) unknown(violations []diag.Violation) []diag.Violation {
	if k == nil {
		return violations
	}
	violations = slices.DeleteFunc(violations, func(v diag.Violation) bool { return k.isKnown(&v) })
	if k.set != nil {
		for i := range violations {
			v := &violations[i]
			if related := k.set.Related(); related.Place.File != v.Place.File {
				v.Related = append(v.Related, related)
			}
		}
	}
	return violations
}

// filter removes the findings of a result that appear with earlier sets. Of a further set, only findings and documents
// with findings count.
func (k *knownFindings) filter(o *check.Result, isFirst bool) {
	before := o.Counts()
	o.Violations = k.unknown(o.Violations)
	after := o.Counts()
	o.Summary.Errors -= before[diag.Error] - after[diag.Error]
	o.Summary.Warnings -= before[diag.Warning] - after[diag.Warning]
	o.Summary.Infos -= before[diag.Info] - after[diag.Info]
	if !isFirst && len(o.Violations) == 0 {
		o.Summary = diag.Summary{Known: o.Summary.Known, Suppressed: o.Summary.Suppressed, Unlisted: o.Summary.Unlisted}
		o.Tally = nil
	}
	if k.set != nil {
		o.Records, o.Objects, o.NotManifests = sets.Records{}, nil, nil
		o.NotEvaluated = slices.DeleteFunc(o.NotEvaluated, func(n diag.NotEvaluated) bool { return n.Reason != changedLater })
	}
}
