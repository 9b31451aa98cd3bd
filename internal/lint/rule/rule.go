// Package rule holds lint rules: their files, and the list of those that a run enables.
//
// Each rule is data in its own file. An index holds the part of each rule that decides whether a document can break
// it at all (see [Head]). The checks of the rules are embedded in the form in which they leave CEL's checker. A rule
// file is read, and its CEL compiled, only if a check does not find a document true.
//
// The package knows what a rule says, and evaluates its expressions. Package lint applies rules to one document, and
// package sets to several.
package rule

import (
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/gitignore"
)

// Rule is one lint rule, as defined by its file.
type Rule struct {
	Head

	// Message is the message of a violation, unless the rule has a messageExpression that returns a text. If
	// Message is "", the title is used.
	Message string
	// ServerSide is what a violation is in an object that is applied on the server; the zero value means the same.
	ServerSide ServerSide
	// Help says what to do, Why explains the rule, and Origin links to its source.
	Help, Why, Origin string
	// Params are the parameters that a configuration can set.
	Params []Param
	// ExampleParams are the values of the parameters in the examples of the rule.
	ExampleParams []Setting
	// Exclude are .gitignore patterns of the files to which the rule does not apply.
	Exclude []string
	// Fixes are the edits that resolve a finding; each is enough. NoFix says why there are none; it is "" if the file does not
	// say so.
	Fixes []Fix
	NoFix string
	// Secret means that the offending value must not be shown.
	Secret bool
	// File is the file of the rule: a path in the directory of the lint rules if Embedded is set, otherwise a path
	// on disk.
	File     string
	Embedded bool

	check, message *expression // nil if the rule has none
}

// ServerSide is a violation in an object that is applied on the server: an apply fails if something else has set the value.
type ServerSide struct {
	Severity diag.Severity
	Message  string
}

// Excludes reports whether the rule does not apply to a file.
func (r *Rule) Excludes(name string) bool {
	if len(r.Exclude) == 0 {
		return false
	}
	patterns := gitignore.Parse(strings.Join(r.Exclude, "\n"))
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	return patterns.Contains(strings.TrimPrefix(name, "/"))
}

// Say returns the message of a violation: the result of the messageExpression, otherwise the message, otherwise the
// title.
func (r *Rule) Say(vars *Variables) string {
	if r.message != nil {
		if text, err := vars.text(r.message.compile()); err == nil && text != "" {
			return text
		}
	}
	if r.Message != "" {
		return r.Message
	}
	return r.Title
}

// HasMessage reports whether the rule says more than its title about a violation.
func (r *Rule) HasMessage() bool { return r.Message != "" || r.message != nil }

// HasMessageExpression reports whether the message of a violation is computed.
func (r *Rule) HasMessageExpression() bool { return r.message != nil }

// Description returns the rule as a report describes it.
func (r *Rule) Description() diag.Description {
	return diag.Description{Rule: r.ID, Severity: r.Severity, Title: r.Title, Help: r.Help, Why: r.Why, Tags: r.Tags}
}
