package rule

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Admission returns the rule as one CEL expression over object and oldObject, for a ValidatingAdmissionPolicy of
// Kubernetes 1.minor. The expression is true if the rule finds nothing. The error says why a rule cannot be expressed
// in this way.
func (r *Rule) Admission(minor int) (string, error) {
	switch {
	case slices.Contains(r.Tags, "manifest"):
		return "", errors.New("every object in a cluster has the fields that the rule reports")
	case r.Misspelled:
		return "", errors.New("a policy does not see which fields the schema declares")
	case len(r.Key) > 0:
		return "", errors.New("a policy sees only one object at a time")
	case !r.Written.IsZero() && r.check == nil, r.check != nil && namesSource(r.check.text):
		return "", errors.New("an API server does not see how the text is written")
	case r.Type == "" && slices.ContainsFunc(r.Kinds, func(k string) bool { return strings.HasPrefix(k, "!") }):
		return "", errors.New("a policy cannot exclude kinds")
	}
	if r.Type == "" {
		return admissionWriter{rule: r, minor: minor}.allOf(PathsOrRoot(r.Each))
	}
	var all []string
	for _, like := range r.alike() {
		text, err := admissionWriter{rule: r, minor: minor, pod: like.pod}.allOf(like.paths)
		if err != nil {
			return "", err
		}
		all = append(all, fmt.Sprintf("(!(object.kind in ['%s']) || (%s))", strings.Join(like.kinds, "', '"), text))
	}
	return strings.Join(all, " && "), nil
}

// allOf returns an expression that is true if the rule finds nothing in any value that the paths lead to.
func (w admissionWriter) allOf(paths []Path) (string, error) {
	var all []string
	for _, steps := range paths {
		w.variables = 0
		text, err := w.all("object", steps)
		if err != nil {
			return "", err
		}
		all = append(all, "("+text+")")
	}
	return strings.Join(all, " && "), nil
}

// alike is the names of kinds in which a rule about a type checks the same paths.
type alike struct {
	kinds []string
	paths []Path
	pod   string // the pod template as an expression
}

// alike groups the kinds of a rule about a type.
func (r *Rule) alike() []alike {
	var groups []alike
	for _, pattern := range r.Patterns() {
		name, group, _ := strings.Cut(pattern, ".")
		paths := r.PathsIn(Kind{group, name})
		i := slices.IndexFunc(groups, func(g alike) bool { return reflect.DeepEqual(g.paths, paths) })
		if i < 0 {
			i, groups = len(groups), append(groups, alike{paths: paths, pod: podExpression(Kind{group, name})})
		}
		groups[i].kinds = append(groups[i].kinds, name)
	}
	return groups
}

// podExpression returns the pod template of a kind as an expression.
func podExpression(k Kind) string {
	text := "object"
	for _, s := range PodPath(k) {
		text += "." + s.name
	}
	return text
}

func namesSource(check string) bool { return strings.Contains(check, "source.") }

// admissionWriter writes the expression for one path.
type admissionWriter struct {
	rule      *Rule
	minor     int    // of the version of Kubernetes
	pod       string // the pod template as an expression; "" if the kinds have none
	variables int
}

// all returns an expression that is true if the rule finds nothing in any value that the path leads to.
func (w *admissionWriter) all(value string, steps Path) (string, error) {
	if len(steps) == 0 {
		return w.value(value), nil
	}
	switch s := steps[0]; s.kind {
	case stepField:
		rest, err := w.all(field(value, s.name), steps[1:])
		return fmt.Sprintf("!%s || %s", hasField(value, s.name), parenthesize(rest)), err
	case stepItems, stepAny:
		w.variables++
		variable := fmt.Sprintf("v%d", w.variables)
		next := variable
		if s.kind == stepAny {
			next = value + "[" + variable + "]"
		}
		rest, err := w.all(next, steps[1:])
		return fmt.Sprintf("%s.all(%s, %s)", value, variable, rest), err
	}
	return "", errors.New("CEL cannot match fields at any depth")
}

// value returns an expression that is true if the rule finds nothing in one value.
func (w *admissionWriter) value(value string) string {
	var passes []string
	if w.rule.Items > 0 {
		passes = append(passes, fmt.Sprintf("size(%s) < %d", value, w.rule.Items))
	}
	for _, path := range w.rule.Lacks {
		passes = append(passes, w.exists(value, MustPath(path)))
	}
	if w.rule.Unique != "" {
		passes = append(passes, w.unique(value))
	}
	if check := w.rule.check; check != nil {
		text := inline(check.text, map[string]string{"self": value, "pod": w.pod, "kubernetesMinor": strconv.Itoa(w.minor)})
		if strings.Contains(text, "oldObject") {
			passes = append(passes, "oldObject == null")
		}
		passes = append(passes, parenthesize(text))
	}
	if len(passes) == 0 {
		return "false"
	}
	return strings.Join(passes, " || ")
}

// unique returns an expression that is true if the value is a list in which no two items share what must be unique.
func (w *admissionWriter) unique(list string) string {
	w.variables += 2
	a, b := fmt.Sprintf("v%d", w.variables-1), fmt.Sprintf("v%d", w.variables)
	if w.rule.Unique == Self {
		return fmt.Sprintf("(type(%s) == list ? %s.all(%s, %s.exists_one(%s, %s == %s)) : true)", list, list, a,
			list, b, b, a)
	}
	isGiven := func(item string) string {
		part := item + "." + w.rule.Unique
		return fmt.Sprintf("%s && %s != null && %s != ''", w.exists(item, MustPath(w.rule.Unique)), part, part)
	}
	return fmt.Sprintf("(type(%s) == list ? %s.all(%s, !(%s) || %s.exists_one(%s, %s && %s.%s == %s.%s)) : true)",
		list, list, a, isGiven(a), list, b, isGiven(b), b, w.rule.Unique, a, w.rule.Unique)
}

// exists returns an expression that is true if the path leads to at least one value.
func (w *admissionWriter) exists(value string, steps Path) string {
	if len(steps) == 0 {
		return "true"
	}
	if s := steps[0]; s.kind == stepField {
		has := hasField(value, s.name)
		if len(steps) == 1 {
			return has
		}
		return parenthesize(has + " && " + w.exists(field(value, s.name), steps[1:]))
	}
	if len(steps) == 1 {
		return fmt.Sprintf("size(%s) > 0", value)
	}
	w.variables++
	variable := fmt.Sprintf("v%d", w.variables)
	next := variable
	if steps[0].kind == stepAny {
		next = value + "[" + variable + "]"
	}
	return fmt.Sprintf("%s.exists(%s, %s)", value, variable, w.exists(next, steps[1:]))
}

// field returns the expression for a field of a value, and hasField one that is true if the value has the field.
func field(value, name string) string {
	if isIdentifier(name) {
		return value + "." + name
	}
	return value + "[" + strconv.Quote(name) + "]"
}

func hasField(value, name string) string {
	if isIdentifier(name) {
		return "has(" + value + "." + name + ")"
	}
	return "(" + strconv.Quote(name) + " in " + value + ")"
}

func isIdentifier(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func parenthesize(text string) string { return "(" + text + ")" }

// tokens finds the parts of an expression that [inline] must tell apart: space with comments, string literals, fields
// and names.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\s|//[^\n]*)+` +
		`|(?s:[rR](?:'''.*?'''|""".*?""")|[rR](?:'[^']*'|"[^"]*"))` +
		`|(?s:'''(?:[^\\]|\\.)*?'''|"""(?:[^\\]|\\.)*?"""|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")` +
		`|\.\s*\w+|\b[A-Za-z_]\w*\b`)
})

// inline writes an expression on one line, without comments, and replaces variables with values. String literals stay
// as they are.
func inline(check string, values map[string]string) string {
	text := tokens().ReplaceAllStringFunc(check, func(found string) string {
		value, isVariable := values[found]
		switch {
		case isVariable:
			return value
		case strings.HasPrefix(found, "//") || strings.TrimSpace(found[:1]) == "":
			return " "
		}
		return found
	})
	return strings.TrimSpace(text)
}
