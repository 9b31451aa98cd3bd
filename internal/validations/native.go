package validations

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel/blame"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/native"
	"github.com/kindvet/kindvet/internal/schema"
)

// Native evaluates the rules of the kinds of one version of Kubernetes. They stand for the validation code of the API
// server. Each type compiles its rules when a document first has a value of it, and all kinds share them.
//
// Rules see values as Go code does: an absent field has the zero value of its type. Closures cover all of them. A rule
// whose closures fail, because a value has the wrong type, is listed as not evaluated.
type Native struct {
	// Checked returns the checked form of an expression. It returns false if there is none. It may be nil.
	Checked func(text string) (Checked, bool)
}

// NewRules returns the rules of a kind's schema.
func (e *Native) NewRules(s *schema.Schema) *Rules { return &Rules{schema: s, native: e} }

// check evaluates the rules on a document that schema.Check has processed.
func (e *Native) check(root, old manifest.Node, s *schema.Schema) Result {
	w := nativeWalks.Get().(*nativeWalk)
	defer nativeWalks.Put(w)
	*w = nativeWalk{
		native: e, root: root, schema: s, frame: w.frame, others: w.others, budget: nativeBudget, isUpdate: old.Valid(),
	}
	if w.isUpdate {
		w.prepareUpdate(root, old, s)
	}
	w.unchecked = native.UncheckedFieldsOf(s, root, old)
	w.visit(root, old, s)
	return w.result
}

// nativeBudget is the maximum cost, as closures count it, of all rules for a document. Without it, rules about many
// items could take any time. Raise it if an object that a server accepts reaches half of it.
const nativeBudget = 30_000_000

var nativeWalks = sync.Pool{New: func() any { return new(nativeWalk) }}

// nativeWalk is the evaluation of the rules of one document.
type nativeWalk struct {
	native *Native
	root   manifest.Node
	schema *schema.Schema // of root
	frame  closure.Frame
	others keySet // of the rule that compares values
	// suggesting is the number of keys for which a similar one was looked for.
	suggesting int
	fixed      int // values whose fixes look at all items of a list, or at the whole document
	budget     int64
	isUpdate   bool
	unchecked  native.UncheckedFields
	// accepted is what comes of an invalid value if the server does not look at it.
	accepted string
	overflow diag.Overflow
	result   Result
}

// visit evaluates the rules of a value, and of those below it. old is the value before an update, which may be absent.
func (w *nativeWalk) visit(n, old manifest.Node, s *schema.Schema) {
	s.Ready()
	if n.Tree().IsCanceled() {
		return
	}
	if len(s.Rules)+len(s.Each) > 0 {
		w.evaluate(n, old, s)
	}
	switch n.Type() {
	case manifest.Map:
		for f := n.First(); f.Valid(); f = f.Next() {
			if below := s.Field(f); below != nil && below.MayHaveRules() && !w.unchecked.Has(n, f.Key()) {
				var before manifest.Node
				if old.Valid() {
					before, _ = old.FieldHashed(f.Key(), f.KeyHash())
				}
				outside := w.accept(n, f.Key())
				w.visit(f, before, below)
				w.accepted = outside
			}
		}
	case manifest.List:
		if s.Items != nil && s.Items.MayHaveRules() {
			w.visitItems(n, old, s)
		}
	}
}

// accept makes the violations that follow warnings if the server does not look at a field of a value. It returns the text
// to set w.accepted to after the field.
func (w *nativeWalk) accept(n manifest.Node, field string) (before string) {
	before = w.accepted
	if text := w.unchecked.Accepted(n, field); text != "" {
		w.accepted = text
	}
	return before
}

func (w *nativeWalk) visitItems(n, old manifest.Node, s *schema.Schema) {
	var index schema.ItemIndex
	if old.Valid() && old.Type() == manifest.List && s.ListType == "map" {
		index = schema.NewItemIndex(old, s.ListMapKeys)
	}
	for item := n.First(); item.Valid(); item = item.Next() {
		before, _ := index.Find(item)
		w.visit(item, before, s.Items)
	}
}

// nativeRules are the compiled rules of a schema.
type nativeRules struct {
	rules    []*nativeRule
	each     []*nativeEach
	defaults []*nativeDefault
}

// nativeRule is a rule about the value itself.
type nativeRule struct {
	declared *schema.Rule
	code     *nativeCode
	path     []string // in the fieldPath
	derived  []string // in derivedFrom
	// selection is what the rule compares if it is about labels that must match a selector; otherwise nil.
	selection *selection
}

// pathIn returns the path of the field that a violation is about: the one that the manifest sets, if the server derives
// the other from it.
func (r *nativeRule) pathIn(n manifest.Node) []string {
	isSet := func(path []string) bool { f := n.At(path...); return f.Valid() && !f.Defaulted() }
	if len(r.derived) > 0 && !isSet(r.path) && isSet(r.derived) {
		return r.derived
	}
	return r.path
}

// evaluate evaluates the rules of one value.
func (w *nativeWalk) evaluate(n, old manifest.Node, s *schema.Schema) {
	rules := s.Attached(w.native.compile).(*nativeRules)
	for _, r := range rules.rules {
		usesOld := r.code.checked.UsesOld
		switch {
		case usesOld && !old.Valid() && !r.declared.OptionalOldSelf:
			if !w.isUpdate {
				w.result.Transitions++
			}
			continue
		case !(usesOld && old.Valid()) && !r.code.concerns(n):
			continue
		}
		code := r.code.code()
		code.Start(&w.frame)
		w.frame.SetNative(variableSelf, n, s)
		if usesOld {
			w.frame.SetNative(variableOldSelf, old, s)
		}
		switch w.run(code) {
		case closure.False:
			w.reportRule(r, n, old)
		case closure.True:
		default:
			w.skip(n, r.declared)
		}
	}
	for _, r := range rules.each {
		w.evaluateEach(r, n, old, s)
	}
}

// reportRule reports a violation of a rule about the value itself. A server does not look at a field below the value, but
// it may compare it with that of the old object.
func (w *nativeWalk) reportRule(r *nativeRule, n, old manifest.Node) {
	path := r.pathIn(n)
	outside := w.accepted
	if !r.code.checked.UsesOld {
		old = manifest.Node{}
		if len(path) > 0 {
			w.accept(n, path[0])
		}
	}
	w.report(n, old, r, path)
	w.accepted = outside
}

// run runs a rule whose variables are set.
func (w *nativeWalk) run(code *closure.Code) closure.Outcome {
	if w.budget < 0 {
		return closure.Unsure
	}
	outcome := code.Run(&w.frame)
	w.budget -= w.frame.Cost()
	return outcome
}

// skip lists a rule that could not be evaluated.
func (w *nativeWalk) skip(n manifest.Node, r *schema.Rule) {
	if diag.CountsNotEvaluated(w.result.NotEvaluated) {
		return
	}
	reason := diag.ValueInvalid
	if w.budget < 0 || w.frame.CostsTooMuch() {
		reason = "the document is too large for it"
	}
	w.result.NotEvaluated = append(w.result.NotEvaluated, diag.NotEvaluated{
		Rule: nameOf(r), Reason: reason, Path: n.Path(), Place: n.Place(),
	})
}

// nameOf returns the message of a rule without the values that a finding would name.
func nameOf(r *schema.Rule) string {
	return strings.NewReplacer("{key}", "...", "{self}", "...").Replace(r.Message)
}

// report reports a violation of a value, at a field below it if there is a path. old is the value before an update if
// the rule reads it.
func (w *nativeWalk) report(n, old manifest.Node, rule *nativeRule, path []string) {
	r := rule.declared
	v := n.Finding(diag.Violation{Rule: ruleOfReason(r.Reason), Message: r.Message, Reason: r.Reason})
	if r.OffGate != "" {
		v.Gate, v.Help = r.OffGate, schema.GateHelp(r.OffGate)
	}
	moveTo(&v, n, path)
	switch {
	case r.IsWarning:
		v.Rule, v.Severity = diag.ServerWarning, diag.Warning
	case old.Valid() && isChange(r):
		v.Rule = diag.ImmutableChanged
		w.pointAtChange(&v, n, old, path)
	case rule.selection != nil && w.fixed < mostFixed:
		w.fixed++
		rule.selection.describe(&v, n, w.root)
	}
	w.add(n, v)
}

// moveTo places a violation of a value at the last field of a path that exists.
func moveTo(v *diag.Violation, n manifest.Node, path []string) {
	if len(path) == 0 {
		return
	}
	target := blame.Operand{Node: n}
	for _, name := range path {
		target = target.Field(name)
		v.Path = v.Path.Field(name)
	}
	v.Place = target.Place()
}

// add records a violation of a value.
func (w *nativeWalk) add(n manifest.Node, v diag.Violation) {
	if w.accepted != "" && v.Severity == diag.Error {
		v = schema.AsAccepted(v, w.accepted)
	}
	if w.overflow.Counts(w.result.Violations, v.Rule, v.Severity) {
		return
	}
	if strings.Contains(v.Message, "{self}") {
		v.Message = strings.ReplaceAll(v.Message, "{self}", blame.ValueText(n))
	}
	w.result.Violations = append(w.result.Violations, v)
}

// ruleOfReason returns the rule that reports errors with a reason of the server (k8s.io/apimachinery,
// util/validation/field.ErrorType).
func ruleOfReason(reason string) diag.Rule {
	switch reason {
	case "Required":
		return diag.MissingField
	case "NotSupported":
		return diag.NotInEnum
	case "Duplicate":
		return diag.DuplicateItem
	case "TooLong":
		return diag.BadLength
	case "TooMany":
		return diag.BadCount
	}
	return diag.BadValue
}
