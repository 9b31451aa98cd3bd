package check

import (
	"regexp"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// variablePattern matches variables and placeholders that a tool replaces before manifests are applied: ${VAR},
// $(VAR), $VAR, <placeholder> and {{ x }}.
var variablePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{[A-Za-z_][^{}]{0,80}\}|\$\([A-Za-z_][A-Za-z0-9_.]*\)|\$[A-Z_][A-Z0-9_]*` +
		`|^"?'?\$[A-Za-z_]\w*|<[A-Za-z][A-Za-z0-9_. /-]{0,80}>|\{\{[^{}]{0,80}\}\}`)
})

// valueRules are the rules that reject a value. Rules about missing fields are not among them.
var valueRules = []diag.Rule{
	diag.WrongType, diag.NotInEnum, diag.PatternMismatch, diag.BadFormat, diag.OutOfRange, diag.BadLength, diag.NoMatch,
	diag.BadName, diag.BadMetadata, diag.CEL,
}

// foldVariables replaces violations about values with unsubstituted variables by one finding for each variable of a
// text, or by one for each value if the engine has the option EachValue. The finding is an error too, because the
// server rejects the unsubstituted value. hasMore reports whether violations contain a variable that already has a
// finding.
func (c *checker) foldVariables(violations []diag.Violation) (kept []diag.Violation, hasMore bool) {
	kept = slices.DeleteFunc(violations, func(v diag.Violation) bool {
		variable := ""
		if v.Severity == diag.Error && slices.Contains(valueRules, v.Rule) {
			variable = variablePattern().FindString(c.markedText(v.Place))
		}
		known := variable != "" && !c.engine.eachValue && slices.Contains(c.variables, variable)
		hasMore = hasMore || known
		return known
	})
	for i := range kept {
		v := &kept[i]
		if v.Severity != diag.Error || !slices.Contains(valueRules, v.Rule) {
			continue
		}
		variable := variablePattern().FindString(c.markedText(v.Place))
		if variable == "" {
			continue
		}
		if !c.engine.eachValue {
			c.variables = append(c.variables, variable)
		}
		v.Rule, v.Reason, v.Related = diag.Unsubstituted, "", nil
		v.Message = diag.Quote(variable) + " looks like an unsubstituted variable"
		v.Help = "substitute it before the check; the API server rejects the value as it is"
	}
	return kept, hasMore
}

// flowVariable matches a variable in a flow map or list. There its brace would start a nested map.
var flowVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[:,\[{]\s*(\$\{[A-Za-z_][^{}]{0,80}\})`)
})

// blameVariables handles a document that cannot be read because of an unquoted variable.
func (c *checker) blameVariables(violations []diag.Violation) {
	for i := range violations {
		v := &violations[i]
		if v.Rule != diag.Syntax {
			continue
		}
		if m := flowVariable().FindStringSubmatch(c.markedText(v.Place)); m != nil {
			v.Message = diag.Quote(m[1]) + " looks like an unsubstituted variable"
			v.Help = "substitute it before the check, or quote it: in a map in braces its brace starts another map"
		}
	}
}

// longestMark is how many bytes at a place are examined.
const longestMark = 512

// markedText returns the text of a place of the file, or its start.
func (c *checker) markedText(p source.Place) string {
	start, end := p.Span.Start-c.src.FirstByte, p.Span.End-c.src.FirstByte
	if p.File != c.src.Name || start < 0 || end > len(c.src.Text) || start > end {
		return ""
	}
	return c.src.Text[start:min(end, start+longestMark)]
}
