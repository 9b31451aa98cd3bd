package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/placeholder"
	"github.com/kindvet/kindvet/internal/source"
)

// variablePattern matches variables and placeholders that a tool replaces before manifests are applied. They are
// looked for only in values that a rule rejects. Decide anew about a form if a literal value of a public manifest has
// it.
var variablePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`\$\$[A-Za-z_][A-Za-z0-9_.-]*\$\$`,     // $$VAR$$
		`\$\{ *[A-Za-z_][^{}]{0,80}\}`,         // ${VAR:-default}
		`\$\([A-Za-z_][A-Za-z0-9_.-]*\)`,       // $(VAR)
		`\$[A-Z_][A-Z0-9_]*`,                   // $VAR
		`^"?'?\$[A-Za-z_]\w*`,                  // $var, if the value starts with it
		`^"?'?\(\$[A-Za-z_][\w.]*\)`,           // ($binding.name) of Chainsaw
		`@[A-Za-z_]\w*@`,                       // @VAR@
		`%[A-Z_][A-Z0-9_]*%`,                   // %VAR%
		`^"?'?\{[A-Za-z_][\w.]+\}`,             // {name}, if the value starts with it
		`__[A-Z][A-Z0-9_]*__`,                  // __VAR__
		`<[A-Za-z][A-Za-z0-9_. /-]{0,80}>`,     // <placeholder>
		`<< ?[A-Za-z][A-Za-z0-9_. /-]{0,80}>>`, // << placeholder >>
		`\{\{[^{}]{0,80}\}\}`,                  // {{ x }}
	}, "|"))
})

// findVariable returns the first variable in the text of a value, which may start with a quote; "" if there is none.
func findVariable(text string) string {
	for _, found := range variablePattern().FindAllString(text, mostVariables) {
		if found = strings.TrimLeft(found, `"'`); found != "<nil>" && found != "<no value>" { // templates print these
			return found
		}
	}
	return ""
}

// mostVariables is how many variables of a value are examined. A script in a ConfigMap may have thousands.
const mostVariables = 10

// valueRules are the rules that reject a value. Rules about missing fields are not among them.
var valueRules = []diag.Rule{
	diag.UnknownGroup, diag.UnknownVersion, diag.UnknownKind,
	diag.WrongType, diag.NotInEnum, diag.PatternMismatch, diag.BadFormat, diag.OutOfRange, diag.BadLength, diag.NoMatch,
	diag.BadName, diag.BadMetadata, diag.BadValue, diag.CEL,
}

// foldVariables replaces violations about values with unsubstituted variables by one finding for each variable of a
// text, or by one for each value if the engine has the option EachValue. The finding is an error too, because the
// server rejects the unsubstituted value. If a tool replaces it, the rule that rejects it is one that was not
// evaluated. Warnings about such a value are dropped. hasMore reports whether violations contain a variable that
// already has a finding. The result uses the memory of violations.
func (c *checker) foldVariables(o diag.Object, violations []diag.Violation) (left []diag.Violation, hasMore bool) {
	left = violations[:0]
	values := map[source.Span]bool{}
	for i := range violations {
		v := &violations[i]
		if c.file.Use == kustomization.Applied && c.isExpression(v) {
			c.dropReplaced(o, v, "")
			continue
		}
		rejected, variable := c.rejectedVariable(v)
		if variable == "" {
			left = append(left, *v)
			continue
		}
		v = rejected
		values[v.Place.Found()] = true
		text := c.markedText(v.Place)
		if c.file.Variables.isIn(text) || isOfClusterAPI(o) && BracedVariables.isIn(text) {
			if unknown, ok := c.unknownVariable(variable); ok {
				unknown.Place, unknown.Path = v.Place, v.Path
				left = append(left, unknown)
			}
			c.dropReplaced(o, v, nameOf(variable))
			continue
		}
		if c.isParameter(variable) {
			c.dropReplaced(o, v, "$"+strings.TrimPrefix(variable, "$"))
			continue
		}
		if c.template && hasStatement(text) {
			c.dropReplaced(o, v, "")
			continue
		}
		if !c.engine.options.EachValue {
			if c.variables[variable] {
				hasMore = true
				continue
			}
			if c.variables == nil {
				c.variables = map[string]bool{}
			}
			c.variables[variable] = true
		}
		v.Rule, v.Reason, v.Related, v.Fixes = diag.Unsubstituted, "", nil, nil
		v.Message = unsubstituted(variable)
		v.Help = "substitute it before the check; the API server rejects the value as it is"
		left = append(left, *v)
	}
	if len(values) > 0 {
		left = slices.DeleteFunc(left, func(v diag.Violation) bool {
			return v.Severity < diag.Error && v.Rule != diag.UnknownContext && c.isFound(v.Place) && values[v.Place.Found()]
		})
	}
	return left, hasMore
}

// isOfClusterAPI reports whether an object is one of Cluster API or of its providers. Its manifests are templates for
// clusterctl if they have variables. Decide anew if a repository has other variables in such objects.
func isOfClusterAPI(o diag.Object) bool {
	group, _ := catalog.SplitAPIVersion(o.APIVersion)
	return group == clusterAPI || strings.HasSuffix(group, "."+clusterAPI)
}

const clusterAPI = "cluster.x-k8s.io"

// Variables are the variables in a text that a tool replaces before it is applied.
type Variables uint8

// NoVariables are replaced, those such as ${NAME}, or those of any form and words such as CHANGEME.
const (
	NoVariables Variables = iota
	BracedVariables
	AnyVariables
)

func (v Variables) isIn(text string) bool {
	return v == AnyVariables || v == BracedVariables && strings.Contains(text, "${")
}

// unknownVariable returns the finding that the value of a variable is not known, one for each variable of a text.
func (c *checker) unknownVariable(variable string) (v diag.Violation, isNew bool) {
	v = UnknownVariable(variable)
	if c.variables[v.Message] || !c.file.NamesVariables {
		return v, false
	}
	if c.variables == nil {
		c.variables = map[string]bool{}
	}
	c.variables[v.Message] = true
	return v, true
}

// UnknownVariable returns the finding that the value of a variable is not known. It has no place.
func UnknownVariable(variable string) diag.Violation {
	name := nameOf(variable)
	v := diag.Violation{
		Rule: diag.UnknownContext, Severity: diag.Info,
		Message: "the value of " + name + " is not known",
		Help:    "check the output of the tool that replaces it",
	}
	if strings.HasPrefix(name, "${") {
		v.Help = "if Flux replaces it, set it in postBuild.substitute, or add the ConfigMap of substituteFrom to the files"
	}
	return v
}

// nameOf returns a variable without its default or function, which may have a secret.
func nameOf(variable string) string {
	if m := bracedName().FindStringSubmatch(variable); m != nil {
		return "${" + m[1] + "}"
	}
	return diag.Cut(variable, longestVariable)
}

var bracedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$\{ *([A-Za-z_][A-Za-z0-9_]*)`) })

// longestVariable is the maximum length of a variable in a message, in characters. What is in braces may be as long as
// the value.
const longestVariable = 60

// dropReplaced records that a violation is about a value that a tool replaces before the object is applied. on is what of
// the value is not known.
func (c *checker) dropReplaced(o diag.Object, v *diag.Violation, on string) {
	dropped := v.NotEvaluated(diag.ValueReplaced)
	dropped.Object, dropped.On = kept(o), strings.Clone(on)
	c.takeNotEvaluated([]diag.NotEvaluated{dropped})
}

func unsubstituted(variable string) string {
	return diag.Quote(variable) + " looks like an unsubstituted variable"
}

// rejectedVariable returns the variable in the value that a violation is about; "" if the violation is not about a
// value with a variable. A map or list of the wrong type is not: it remains one, whatever is substituted in
// it. If the violation has causes, all of them must be about such values. Then it also returns the first one, otherwise
// the violation itself.
func (c *checker) rejectedVariable(v *diag.Violation) (rejected *diag.Violation, variable string) {
	rejected = v
	for root := range v.Roots() {
		if root.Severity != diag.Error || !slices.Contains(valueRules, root.Rule) {
			return v, ""
		}
		text := c.markedText(root.Place)
		found := findVariable(text)
		if sp, ok := placeholder.In(text); found == "" && ok && c.file.Variables == AnyVariables {
			found = text[sp.Start:sp.End]
		}
		if found == "" || root.Rule == diag.WrongType && isMapOrList(text) && !strings.HasPrefix(text, found) {
			return v, ""
		}
		if variable == "" {
			rejected, variable = root, found
		}
	}
	return rejected, variable
}

// isMapOrList reports whether the text of a value is that of a map or list, without an anchor or tag. A variable such as
// {name} is read as a map.
func isMapOrList(text string) bool {
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, "- ")
}

// isExpression reports whether a violation is about values in parentheses, which Chainsaw evaluates before it creates
// an object.
func (c *checker) isExpression(v *diag.Violation) bool {
	for root := range v.Roots() {
		text := strings.Trim(c.wholeText(root.Place), `"'`)
		if !slices.Contains(valueRules, root.Rule) || !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
			return false
		}
	}
	return true
}

// flowVariable matches a variable in a flow map or list. There its brace would start a nested map.
var flowVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[:,\[{]\s*(\$\{[A-Za-z_][^{}]{0,80}\})`)
})

// leadingVariable matches a variable with which no plain value can start.
var leadingVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:@[A-Za-z_]\w{0,80}@|%[A-Za-z_]\w{0,80}%)`)
})

// bracedVariable matches a variable that is read as a map, before more text of a plain value.
var bracedVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[:-][ \t]+(\{[A-Za-z_][\w.]{0,80}\})$`)
})

// blameVariables handles a document that cannot be read because of an unquoted variable.
func (c *checker) blameVariables(violations []diag.Violation) {
	for i := range violations {
		v := &violations[i]
		if v.Rule != diag.Syntax {
			continue
		}
		if m := flowVariable().FindStringSubmatch(c.markedText(v.Place)); m != nil {
			v.Message = unsubstituted(m[1])
			v.Help = "substitute it before the check, or quote it: in a map in braces its brace starts another map"
			continue
		}
		if found := v.Place.Found(); c.isFound(v.Place) && found.Start >= c.src.FirstByte {
			at := min(found.Start-c.src.FirstByte, len(c.src.Text))
			before := c.src.Text[max(at-longestMark, 0):at]
			if name := leadingVariable().FindString(c.src.Text[at:]); name != "" {
				v.Message = unsubstituted(name)
				v.Help = "substitute it before the check, or quote it: a value cannot start with " + name[:1]
			} else if m := bracedVariable().FindStringSubmatch(before); m != nil {
				v.Message = unsubstituted(m[1])
				v.Help = "substitute it before the check, or quote the value: in braces it is a map"
			}
		}
	}
}

// longestMark is how many bytes at a place are examined. A place may be that of a value of megabytes, for each of
// thousands of findings.
const longestMark = 512

// markedText returns the text of a place of the file, or its start.
func (c *checker) markedText(p source.Place) string {
	text := c.wholeText(p)
	return text[:min(len(text), longestMark)]
}

// wholeText returns the text of a place of the file.
func (c *checker) wholeText(p source.Place) string {
	found := p.Found()
	start, end := found.Start-c.src.FirstByte, found.End-c.src.FirstByte
	if !c.isFound(p) || start < 0 || end > len(c.src.Text) || start > end {
		return ""
	}
	return c.src.Text[start:end]
}

// isFound reports whether a place was found in the text of the file. If a program wrote the text, hiding an excerpt
// has moved the place.
func (c *checker) isFound(p source.Place) bool { return p.IsMoved() || p.File == c.src.Name }
