package validations

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/schema"
)

// These are the numbers of the variables of a rule about each value.
const (
	variableRoot    = 1
	variableOldRoot = 2
	variableParent  = 3
)

// nativeEach is a rule about each of several values below the value of a schema.
type nativeEach struct {
	declared *schema.Each
	code     *nativeCode // nil if the rule has no expression
	when     *nativeCode // nil if it always applies
	inWhen   *nativeCode // nil if all values at the paths of in and notIn count
	path     []string    // in the fieldPath
}

// usesOld reports whether the rule reads the value before an update.
func (r *nativeEach) usesOld() bool { return r.code != nil && r.code.checked.UsesOld }

// eachValue is a value that a rule is about.
type eachValue struct {
	node  manifest.Node
	isKey bool // the value is the key of the node
	of    *schema.Schema
	// parent is the object that has the last field of the path, or the value of the schema if it has none, and parentOf
	// its schema.
	parent   manifest.Node
	parentOf *schema.Schema
}

// evaluateEach evaluates a rule on each of the values at its paths. The cost is linear in their number.
func (w *nativeWalk) evaluateEach(r *nativeEach, n, old manifest.Node, s *schema.Schema) {
	if r.usesOld() && !old.Valid() && !r.declared.Rule.OptionalOldSelf {
		if !w.isUpdate {
			w.result.Transitions++
		}
		return
	}
	w.others.reset()
	for _, path := range r.declared.At {
		if !path.FromDocument && (!mayHave(n, path.Steps) || w.isUnchecked(n, path.Steps)) {
			continue
		}
		outside := w.accepted
		if !path.FromDocument && len(path.Steps) > 0 {
			w.accept(n, path.Steps[0].Field)
		}
		w.eachAt(n, s, path, func(v eachValue) {
			switch {
			case n.Tree().IsCanceled():
			case r.when != nil && w.outcome(r, r.when, v, n, old, s) != closure.True:
			case r.code != nil && !r.declared.Unique:
				w.evaluateItem(r, v, n, old, s)
			default:
				w.compare(r, v, n, old, s)
			}
		})
		w.accepted = outside
	}
}

// outcome evaluates an expression of a rule on a value. If that fails, the rule is listed as not evaluated.
func (w *nativeWalk) outcome(r *nativeEach, e *nativeCode, v eachValue, n, old manifest.Node,
	s *schema.Schema) closure.Outcome {
	code := e.code()
	w.start(code, v, n, old, s)
	outcome := w.run(code)
	if outcome != closure.True && outcome != closure.False {
		w.skip(v.node, &r.declared.Rule)
	}
	return outcome
}

// start sets the variables of an expression about a value.
func (w *nativeWalk) start(code *closure.Code, v eachValue, n, old manifest.Node, s *schema.Schema) {
	code.Start(&w.frame)
	named := code.Named()
	switch {
	case v.isKey:
		w.frame.SetString(variableSelf, v.node.Key())
	case named.Has(variableSelf):
		w.frame.SetNative(variableSelf, v.node, v.of)
	}
	if named.Has(variableRoot) {
		w.frame.SetNative(variableRoot, n, s)
	}
	if named.Has(variableOldRoot) {
		w.frame.SetNative(variableOldRoot, old, s)
	}
	if named.Has(variableParent) {
		w.frame.SetNative(variableParent, v.parent, v.parentOf)
	}
}

func (w *nativeWalk) evaluateItem(r *nativeEach, v eachValue, n, old manifest.Node, s *schema.Schema) {
	if !r.code.checked.UsesOld && !v.isKey && !r.code.concerns(v.node) {
		return
	}
	if w.outcome(r, r.code, v, n, old, s) == closure.False {
		w.reportEach(r, v, "", nil)
	}
}

// compare compares the key of a value with those of the values before it, or of those at other paths. Empty keys are
// compared only if the rule says so.
func (w *nativeWalk) compare(compiled *nativeEach, v eachValue, n, old manifest.Node, s *schema.Schema) {
	r := compiled.declared
	key := v.key(r.Key)
	if key == "" && len(r.Key) == 0 && !r.Empty && !v.isKey && v.node.Type() == manifest.Map {
		key = string(v.node.AppendJSON(nil))
	}
	w.budget -= int64(len(key)) + 1
	if strings.Trim(key, "\x00") == "" && !r.Empty {
		return
	}
	if !w.others.isFilled {
		w.fillOthers(compiled, n, old, s)
	}
	if w.budget < 0 {
		w.skip(v.node, &r.Rule)
		return
	}
	other, found := w.others.find(key)
	switch {
	case r.Unique && !found:
		w.others.add(key, v)
	case r.Unique && compiled.code != nil && w.outcome(compiled, compiled.code, v, n, old, s) != closure.False:
	case r.Unique:
		w.reportEach(compiled, v, "", &diag.Related{Place: other.node.Place(), Message: "also here"}, w.onceFixes(v, other)...)
	case len(r.In) > 0 && !found:
		w.reportEach(compiled, v, w.nearestKey(key), nil)
	case len(r.NotIn) > 0 && found:
		w.reportEach(compiled, v, "", &diag.Related{Place: other.node.Place(), Message: "also here"})
	}
}

// fillOthers collects the values with which a rule compares.
func (w *nativeWalk) fillOthers(r *nativeEach, n, old manifest.Node, s *schema.Schema) {
	w.others.isFilled = true
	for _, paths := range [][]schema.EachPath{r.declared.In, r.declared.NotIn} {
		for _, path := range paths {
			w.eachAt(n, s, path, func(v eachValue) {
				if r.inWhen == nil || w.outcome(r, r.inWhen, v, n, old, s) == closure.True {
					w.others.add(v.key(r.declared.InKey), v)
				}
			})
		}
	}
}

// Limits of looking for misspelled keys, each of which is compared with all others. A map of 29 public repositories
// has at most 180 keys.
const (
	mostSuggested  = 1000 // a misspelled key is looked for among up to this number of keys
	mostSuggesting = 50   // for up to this number of keys of a document
)

// nearestKey returns the key that a misspelled one was probably meant to be, or "".
func (w *nativeWalk) nearestKey(key string) string {
	if len(w.others.keys) > mostSuggested || w.suggesting == mostSuggesting {
		return ""
	}
	w.suggesting++
	near, _ := nearest.Name(key, w.others.keys)
	return near
}

// key returns the key of a value: its text, or the texts of some of its fields.
func (v eachValue) key(fields []string) string {
	switch {
	case v.isKey:
		return v.node.Key()
	case len(fields) == 0:
		return scalarText(v.node)
	}
	var b strings.Builder
	for i, name := range fields {
		if i > 0 {
			b.WriteByte(0)
		}
		b.WriteString(scalarText(v.node.At(strings.Split(name, ".")...)))
	}
	return b.String()
}

// keyFixes returns the fix that replaces the key of a value by another one.
func (v eachValue) keyFixes(fields []string, use string) []diag.Fix {
	switch {
	case v.isKey:
		return v.node.KeyFix(use)
	case len(fields) == 0:
		return v.node.TextFix(use)
	case len(fields) > 1:
		return nil
	}
	if f := v.node.At(strings.Split(fields[0], ".")...); f.Valid() {
		return f.TextFix(use)
	}
	return nil
}

// itemOf returns the item of a list that a value is in. It is not valid if there is none.
func (v eachValue) itemOf() manifest.Node {
	n := v.node
	for n.Parent().Valid() && n.Parent().Type() != manifest.List {
		n = n.Parent()
	}
	if !n.Parent().Valid() {
		return manifest.Node{}
	}
	return n
}

// mostFixed is the maximum number of values of a document that have fixes for a key that occurs twice. Each looks at all
// items of its list.
const mostFixed = 100

// onceFixes returns the fixes of a value whose key another item of the same list has.
func (w *nativeWalk) onceFixes(v, other eachValue) []diag.Fix {
	if w.fixed++; w.fixed > mostFixed {
		return nil
	}
	item, first := v.itemOf(), other.itemOf()
	if !item.Valid() || !first.Valid() || item.Parent() != first.Parent() || item == first {
		return nil
	}
	return schema.OnceFixes(item, first)
}

// scalarText returns the text of a scalar, or "" if there is none.
func scalarText(n manifest.Node) string {
	if !n.Valid() {
		return ""
	}
	switch n.Type() {
	case manifest.String:
		return n.Text()
	case manifest.Integer:
		return strconv.FormatInt(n.Integer(), 10)
	case manifest.Boolean, manifest.Float:
		return string(n.AppendJSON(nil))
	}
	return ""
}

// mayHave reports whether a value has the first field of a path.
func mayHave(n manifest.Node, path []schema.EachStep) bool {
	if len(path) == 0 || path[0].Field == "" || n.Type() != manifest.Map {
		return true
	}
	_, ok := n.FieldHashed(path[0].Field, path[0].Hash)
	return ok
}

// isUnchecked reports whether a path below a value begins with a field that is not validated.
func (w *nativeWalk) isUnchecked(n manifest.Node, path []schema.EachStep) bool {
	return len(w.unchecked) > 0 && len(path) > 0 && w.unchecked.Has(n, path[0].Field)
}

// eachAt visits the values at a path, in the order of the document.
func (w *nativeWalk) eachAt(n manifest.Node, s *schema.Schema, path schema.EachPath, visit func(eachValue)) {
	if path.FromDocument {
		n, s = w.root, w.schema
	}
	eachBelow(eachValue{node: n, of: s, parent: n, parentOf: s}, path.Steps, visit)
}

// eachBelow visits the values at the steps below a value.
func eachBelow(v eachValue, path []schema.EachStep, visit func(eachValue)) {
	n, s := v.node, v.of
	s.Ready()
	if len(path) == 0 {
		visit(v)
		return
	}
	step := path[0]
	switch {
	case step.Field != "":
		if n.Type() != manifest.Map {
			return
		}
		f, ok := n.FieldHashed(step.Field, step.Hash)
		if !ok || f.Type() == manifest.Null {
			return
		}
		v.parent, v.parentOf = n, s
		if v.node, v.of = f, s.Field(f); v.of != nil {
			eachBelow(v, path[1:], visit)
		}
	case n.Type() == manifest.List && s.Items != nil:
		for item := n.First(); item.Valid(); item = item.Next() {
			v.node, v.of = item, s.Items
			eachBelow(v, path[1:], visit)
		}
	case n.Type() == manifest.Map && step.Keys:
		for f := n.First(); f.Valid(); f = f.Next() {
			v.node, v.of, v.isKey = f, nil, true
			visit(v)
		}
	case n.Type() == manifest.Map && s.Additional != nil:
		for f := n.First(); f.Valid(); f = f.Next() {
			v.node, v.of = f, s.Additional
			eachBelow(v, path[1:], visit)
		}
	}
}

// reportEach reports a violation of a value. use is the key that was probably meant, or "".
func (w *nativeWalk) reportEach(r *nativeEach, v eachValue, use string, related *diag.Related, fixes ...diag.Fix) {
	rule := &r.declared.Rule
	found := v.node.Finding(diag.Violation{Rule: ruleOfReason(rule.Reason), Message: rule.Message, Reason: rule.Reason, Fixes: fixes})
	if rule.OffGate != "" {
		found.Gate, found.Help = rule.OffGate, schema.GateHelp(rule.OffGate)
	}
	switch {
	case rule.IsWarning:
		found.Rule, found.Severity = diag.ServerWarning, diag.Warning
	case r.usesOld() && isChange(rule):
		found.Rule = diag.ImmutableChanged
	}
	if v.isKey {
		found.Place = v.node.KeyPlace()
	}
	if use != "" {
		found.Help = "did you mean " + diag.Quote(use) + "?"
		found.Fixes = v.keyFixes(r.declared.Key, use)
	}
	if related != nil {
		found.Related = append(found.Related, *related)
	}
	if strings.Contains(rule.Message, "{key}") {
		found.Message = strings.ReplaceAll(rule.Message, "{key}", diag.Quote(v.key(r.declared.Key)))
	}
	moveTo(&found, v.node, r.path)
	w.add(v.node, found)
}
