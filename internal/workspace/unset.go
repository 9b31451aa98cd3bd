package workspace

import (
	"context"
	"crypto/sha256"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// defaults are what a chart writes with its default values, and what is known about how these are used. If something
// sets other values, only those are deployed. Otherwise some defaults are there to be set.
type defaults struct {
	held []*heldResult
	// by is the first set with which the chart can be rendered, and known the first one of these whose values are all
	// known; nil for none. isDeployed means that an object deploys the chart with such a set.
	by, known  *chart.Set
	isDeployed bool
	confirmed  map[heldText]bool // texts that such sets write, too
	memory     check.Memory
	warned     map[string]bool // values by their keys
}

// heldText identifies what a template writes.
type heldText struct {
	template string
	hash     [sha256.Size]byte
}

// heldResult is the result of a text that a template wrote with the default values.
type heldResult struct {
	text   heldText
	result *check.Result
	place  place
	// causes are the values that the first violations depend on; nil for none.
	causes []*chart.Unset
}

// add records a set with which the chart was rendered.
func (d *defaults) add(set *chart.Set) {
	if d.by == nil {
		d.by = set
	}
	if set.IsPartial {
		return
	}
	if d.known == nil {
		d.known = set
	}
	d.isDeployed = d.isDeployed || !set.At.IsZero()
}

// confirm records that a set writes a text, too.
func (d *defaults) confirm(set *chart.Set, text heldText) {
	if set == nil || set.IsPartial {
		return
	}
	if d.confirmed == nil {
		d.confirmed = map[heldText]bool{}
	}
	d.confirmed[text] = true
}

// Reasons why errors with default values do not count.
const (
	notDeployed = "only with the default values, which are not deployed"
	notSet      = "depends on a default value: "
)

// finishDefaults lowers the errors with default values that are not deployed, or that are there to be set.
func (c *chartCheck) finishDefaults(ctx context.Context, bare *chart.Rendered) {
	d := &c.defaults
	isDeployed := d.isDeployed || c.worker.pool.plan.builds.inflates(c.unit.File)
	if bare.IsFailed {
		c.finishFailed(ctx, bare, isDeployed)
	}
	for _, h := range d.held {
		switch {
		case isDeployed:
			h.dropUnconfirmed(c)
		case d.known != nil:
			h.lowerUnconfirmed(c)
		default:
			d.lowerUnset(h)
		}
		c.worker.pool.limit.done(h.place, h.result)
	}
	d.held = nil
}

// isConfirmed reports whether an error also appears with values that are deployed.
func (c *chartCheck) isConfirmed(h *heldResult, v *diag.Violation) bool {
	return c.defaults.confirmed[h.text] || c.known != nil && c.known.confirmed[findingOf(v)]
}

// dropUnconfirmed drops the errors that only appear with the default values. Their rules were not evaluated.
func (h *heldResult) dropUnconfirmed(c *chartCheck) {
	h.result.Drop(func(v *diag.Violation) bool {
		if v.Severity != diag.Error || c.isConfirmed(h, v) {
			return false
		}
		h.result.NotEvaluated = append(h.result.NotEvaluated, v.NotEvaluated(notDeployed))
		return true
	})
}

// lowerUnconfirmed makes notes of the errors that only appear with the default values, of a chart that is tested with
// others.
func (h *heldResult) lowerUnconfirmed(c *chartCheck) {
	h.result.Lower(func(v *diag.Violation) {
		if v.Severity == diag.Error && !c.isConfirmed(h, v) {
			asNote(v, c.defaults.known)
		}
	})
}

// asNote makes a note of an error that does not appear with a set.
func asNote(v *diag.Violation, set *chart.Set) {
	v.Severity = diag.Info
	v.Message += withDefaults
	related := set.Related()
	related.Place.Detach()
	if related.Message != "included here" {
		related.Message = "not with these values"
	}
	v.Related = append(v.Related, related)
}

// withDefaults follows the message of a finding that is only known to appear with default values.
const withDefaults = ", with the default values"

// lowerUnset makes warnings of the errors that depend on default values that are not set: one for each value. The rules of
// the others were not evaluated.
func (d *defaults) lowerUnset(h *heldResult) {
	causes := make([]*chart.Unset, len(h.result.Violations))
	copy(causes, h.causes)
	isCaused := map[string]bool{} // values of objects
	for i, u := range causes {
		if u != nil {
			isCaused[valueOf(&h.result.Violations[i])] = true
		}
	}
	var kept []*chart.Unset
	h.result.Drop(func(v *diag.Violation) bool {
		u := causes[0]
		causes = causes[1:]
		if v.Rule == placeholderRule && isCaused[valueOf(v)] {
			return true // the warning about the value says so
		}
		if v.Severity == diag.Error && u != nil && d.isWarned(u) {
			h.result.NotEvaluated = append(h.result.NotEvaluated, v.NotEvaluated(notSet+u.Name()))
			return true
		}
		kept = append(kept, u)
		return false
	})
	h.result.Lower(func(v *diag.Violation) {
		if v.Severity == diag.Error && kept[0] != nil {
			asWarning(v, kept[0])
		}
		kept = kept[1:]
	})
}

// Lint rules about what templates print: placeholders, and values that have no text.
const (
	placeholderRule = "template/placeholder"
	goValueRule     = "template/go-value"
	emptyPartRule   = "image/empty-part"
)

// lowerEmpty makes notes of the images with an empty part in what a chart writes with its default values: such a value is
// mostly there to be set.
func lowerEmpty(r *check.Result) {
	r.Lower(func(v *diag.Violation) {
		if v.Rule == emptyPartRule && v.Severity == diag.Warning {
			v.Severity = diag.Info
			v.Message += withDefaults
		}
	})
}

// printedNil matches what a template prints for a value that does not exist, as for an empty one.
var printedNil = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%![a-z]\(<nil>\)|<nil>`) })

// nameCauses names the values that are not set in the findings about what a template printed for them.
func nameCauses(r *check.Result, causes []*chart.Unset) {
	for i, u := range causes {
		if v := &r.Violations[i]; u != nil && v.Rule == goValueRule && u.Key != "" {
			v.Help = "set " + u.Key + ", or give it a default"
			if at := u.Place(); !at.IsZero() {
				v.Related = append(v.Related, diag.Related{Place: at, Message: "set here", IsSupplier: true})
			}
		}
	}
}

// valueOf identifies the value that a violation is about.
func valueOf(v *diag.Violation) string {
	return strconv.Itoa(v.Object.Document) + " " + v.Path.String()
}

// lowerLong makes a warning of the errors that a shorter name of the release avoids: one for all that a chart writes. It
// returns the causes of what is left. The rules of the others were not evaluated.
func (d *defaults) lowerLong(r *check.Result, causes []*chart.Unset) (left []*chart.Unset) {
	number := 0
	next := func() (u *chart.Unset) {
		if number < len(causes) {
			u = causes[number]
		}
		number++
		return u
	}
	r.Drop(func(v *diag.Violation) bool {
		u := next()
		if u != nil && u.Key == "" && d.isWarned(u) {
			r.NotEvaluated = append(r.NotEvaluated, v.NotEvaluated(notSet+u.Name()))
			return true
		}
		left = append(left, u)
		return false
	})
	causes, number = left, 0
	r.Lower(func(v *diag.Violation) {
		if u := next(); u != nil && u.Key == "" {
			asWarning(v, u)
		}
	})
	return left
}

// isWarned reports whether a warning about a value has been added, and records that it is.
func (d *defaults) isWarned(u *chart.Unset) bool {
	if d.warned == nil {
		d.warned = map[string]bool{}
	}
	known := d.warned[u.Key]
	d.warned[u.Key] = true
	return known
}

// asWarning makes a warning of an error that depends on a default value.
func asWarning(v *diag.Violation, u *chart.Unset) {
	v.Severity, v.Fixes = diag.Warning, nil
	if u.Key == "" {
		v.Message += ", with the release name " + diag.Quote(u.Text())
		v.Help = "name the release with --release-name, or use a shorter name"
		return
	}
	v.Message += withDefaults
	v.Help = "set " + u.Key + " in a file ci/NAME-values.yaml, or with --values or --set"
	isSet := false
	for _, related := range v.Related {
		isSet = isSet || related.IsSupplier
	}
	if at := u.Place(); !isSet && !at.IsZero() {
		v.Related = append(v.Related, diag.Related{Place: at, Message: "set here", IsSupplier: true})
	}
}

// finishFailed lowers why the chart cannot be rendered with its default values.
func (c *chartCheck) finishFailed(ctx context.Context, bare *chart.Rendered, isDeployed bool) {
	why, d := c.results[0], &c.defaults
	isReason := map[knownFinding]bool{}
	for i := range bare.Violations {
		if v := &bare.Violations[i]; v.Severity == diag.Error && v.Rule != diag.ReaderLimit {
			isReason[findingOf(v)] = true
		}
	}
	lower := func(change func(*diag.Violation)) {
		why.Lower(func(v *diag.Violation) {
			if v.Severity == diag.Error && isReason[findingOf(v)] {
				change(v)
			}
		})
	}
	isSet := !c.worker.pool.plan.options.Chart.Values.IsZero()
	switch {
	case d.by != nil:
		lower(func(v *diag.Violation) {
			v.Severity, v.Related = diag.Info, append(v.Related, d.by.Related())
		})
	case isDeployed:
		lower(func(v *diag.Violation) { v.Severity = diag.Info })
	case isSet && bare.NeedsValues:
		lower(suggestValues)
	case isSet:
	default:
		filled := c.loaded.Fill(c.options, *bare)
		for i := range filled.Failures {
			f := &filled.Failures[i]
			if i > 0 {
				why.Add(f.Violation)
				isReason[findingOf(&f.Violation)] = true
			}
			lower(func(v *diag.Violation) {
				if findingOf(v) == findingOf(&f.Violation) {
					asWarning(v, f.Unset)
				}
			})
		}
		switch {
		case !filled.Rendered.IsFailed:
			c.checkFilled(ctx, filled.Rendered)
		case len(filled.Failures) == 0 && bare.NeedsValues:
			lower(func(v *diag.Violation) {
				if suggestValues(v); bare.IsRequired {
					v.Severity = diag.Warning
				}
			})
		}
	}
	why.Detach()
}

// suggestValues adds help to why a chart rejects its values.
func suggestValues(v *diag.Violation) {
	if v.Help == "" {
		v.Help = "set what the chart requires in a file ci/NAME-values.yaml, or with --values, --set or --namespace"
	}
}

// checkFilled checks what the chart writes after values were set for which it failed. Only errors count that no values
// may prevent.
func (c *chartCheck) checkFilled(ctx context.Context, filled chart.Rendered) {
	c.isFilled, filled.Violations, c.known = true, nil, nil
	c.check(ctx, filled, nil)
}

// findCauses finds the default values that errors depend on, by experiment: with another value, the error is not
// there any more, and the value is. If the values are not the default ones, only the name of the release is one.
func (c *chartCheck) findCauses(output *chart.Output, areDefaults bool, r *check.Result, src *source.Source) []*chart.Unset {
	isError := func(v diag.Violation) bool {
		return (v.Severity == diag.Error || v.Rule == goValueRule) && v.Object.Kind != ""
	}
	if !slices.ContainsFunc(r.Violations, isError) {
		return nil
	}
	var left []*unsetError
	var parts []chart.Part
	before := documentsOf(src)
	for i := range r.Violations {
		v := &r.Violations[i]
		if in, ok := documentAt(before, v.Place.Found()); ok && isError(*v) && len(left) < mostUnsetErrors {
			part := chart.Part{Span: v.Place.Found()}
			if n, ok := nodeAt(in.root, v.Path); ok && !isContainer(n) {
				part.Text = printedNil().ReplaceAllString(n.Text(), "")
			}
			left, parts = append(left, &unsetError{v, i}), append(parts, part)
		}
	}
	causes := make([]*chart.Unset, len(r.Violations))
	list := output.UnsetRelease(parts)
	if areDefaults {
		list = append(list, output.Unset(parts)...)
	}
	engine := c.engine()
	for _, u := range list {
		for v := range output.Variants(u) {
			found := sync.OnceValue(func() []diag.Violation {
				return engine.Check(&c.defaults.memory, v.Source, check.File{IsWritten: true, IsHelm: true}).Violations
			})
			documents := documentsOf(v.Source)
			rest := left[:0]
			for _, e := range left {
				if e.isCaused(before, documents, &v, found) {
					causes[e.number] = u
				} else {
					rest = append(rest, e)
				}
			}
			if left = rest; len(left) == 0 {
				return causes
			}
		}
	}
	return causes
}

// mostUnsetErrors is the maximum number of errors of a text whose causes are looked for. Each is compared with the
// findings of each variant. Raise it if a public chart has more.
const mostUnsetErrors = 200

// unsetError is an error that may depend on a default value.
type unsetError struct {
	*diag.Violation
	number int
}

// isCaused reports whether an error depends on the value that a variant replaces. What the variant sets must be at the
// place of the error, and without it the text must be what it was, or nothing: an error in a text that a template has in
// the place of an empty value is not caused by that value. found returns the findings in what the variant writes.
func (e *unsetError) isCaused(before, after []writtenDocument, v *chart.Variant, found func() []diag.Violation) bool {
	was, isIn := documentAt(before, e.Place.Found())
	is, ok := was.sameIn(before, after, v)
	if !isIn || !ok {
		return false
	}
	here, hasNow := nodeAt(is.root, e.Path)
	earlier, hadBefore := nodeAt(was.root, e.Path)
	if !hasNow {
		return false
	}
	isWhole := false
	switch here.Type() {
	case manifest.Map, manifest.List:
		if hadBefore && (countNodes(here) <= countNodes(earlier) || !isContainer(earlier) && earlier.Text() != "") {
			return false
		}
	default:
		text, old := strings.TrimSpace(here.Text()), ""
		if hadBefore {
			if isContainer(earlier) {
				return false
			}
			old = strings.TrimSpace(printedNil().ReplaceAllString(earlier.Text(), ""))
		}
		isShorter := v.IsRelease && len(text) < len(old)
		if v.Mark == "" || !strings.Contains(text, v.Mark) ||
			old != "" && !isShorter && strings.ReplaceAll(text, v.Mark, v.Text) != old {
			return false
		}
		isWhole = text == v.Mark
	}
	violations := found()
	for i := range violations {
		x := &violations[i]
		if x.Severity != e.Severity || x.Rule != e.Rule || x.Path.String() != e.Path.String() || !is.contains(x.Place.Found()) {
			continue
		}
		if !isWhole || x.Message == e.Message {
			return false
		}
	}
	return true
}

// writtenDocument is a document in what a template wrote.
type writtenDocument struct {
	span       source.Span
	root       manifest.Node
	kind, name string
}

func documentsOf(src *source.Source) (list []writtenDocument) {
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if len(tree.Read(src, part)) > 0 || !tree.Root().Valid() || tree.Root().Type() != manifest.Map {
			continue
		}
		root := tree.Root()
		list = append(list, writtenDocument{part.Span, root, root.TextAt("kind"), root.At("metadata", "name").Text()})
	}
	return list
}

func documentAt(list []writtenDocument, sp source.Span) (writtenDocument, bool) {
	for _, d := range list {
		if d.contains(sp) {
			return d, true
		}
	}
	return writtenDocument{}, false
}

func (d *writtenDocument) contains(sp source.Span) bool {
	return d.span.Start <= sp.Start && sp.Start < d.span.End
}

// sameIn returns the document of a variant that is the same object: that of the same kind and name or, if there are as
// many of the kind, that in the same place.
func (d *writtenDocument) sameIn(before, after []writtenDocument, v *chart.Variant) (same writtenDocument, ok bool) {
	index, count := 0, 0
	for _, x := range before {
		if x.kind == d.kind {
			if x.span.Start < d.span.Start {
				index++
			}
			count++
		}
	}
	var ofKind []writtenDocument
	for _, x := range after {
		if x.kind == d.kind {
			ofKind = append(ofKind, x)
		}
	}
	if len(ofKind) == count {
		if index < len(ofKind) {
			return ofKind[index], true
		}
		return same, false
	}
	for _, x := range ofKind {
		if x.name == d.name || v.Mark != "" && strings.ReplaceAll(x.name, v.Mark, v.Text) == d.name {
			return x, true
		}
	}
	return same, false
}

// nodeAt returns the node at a path below a root.
func nodeAt(n manifest.Node, path diag.Path) (_ manifest.Node, ok bool) {
	for _, step := range path {
		switch {
		case step.IsItem:
			if n.Type() != manifest.List {
				return n, false
			}
			n, ok = n.Item(step.Index)
		default:
			if n.Type() != manifest.Map {
				return n, false
			}
			n, ok = n.Field(step.Name)
		}
		if !ok {
			return n, false
		}
	}
	return n, n.Valid()
}

func isContainer(n manifest.Node) bool { return n.Type() == manifest.Map || n.Type() == manifest.List }

// countNodes returns the number of nodes below a node.
func countNodes(n manifest.Node) (count int) {
	if !isContainer(n) {
		return 0
	}
	for child := range n.Children() {
		count += 1 + countNodes(child)
	}
	return count
}
