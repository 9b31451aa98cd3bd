package lint

import (
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
)

// Rule is one lint rule, as defined by its file.
type Rule struct {
	head

	// Message is the message of a violation, unless the rule has a messageExpression that returns a text. If
	// Message is "", the title is used.
	Message string
	// Help says what to do, Why explains the rule, and Origin links to its source.
	Help, Why, Origin string
	// Params are the parameters that a configuration can set.
	Params []Param
	// ExampleParams are the values of the parameters in the examples of the rule.
	ExampleParams []Setting
	// Exclude are .gitignore patterns of the files to which the rule does not apply.
	Exclude []string
	// Secret means that the offending value must not be shown.
	Secret bool
	// File is the file of the rule: a path in the directory of the lint rules if Embedded is set, otherwise a path
	// on disk.
	File     string
	Embedded bool

	check, message *expression // nil if the rule has none
}

// head is the part of a rule that the index keeps. It is enough to tell whether a document can break the rule.
type head struct {
	// ID is family/fault, which is also the path of the rule's directory.
	ID       diag.Rule
	Title    string
	Severity diag.Severity
	Tags     []string
	// Kinds are the kinds to which the rule applies: Kind.group, Kind, *.group or *.
	Kinds []string
	// Type makes the rule one about the values of a type in all kinds that have it. Kinds, if there are any, restrict
	// these kinds. All paths are relative to such a value.
	Type string
	// NotRecommended keeps the rule out of the profile recommended whatever its severity is.
	NotRecommended bool
	// NeedsParams means that all parameters are empty lists by default. Then no value violates an embedded rule.
	NeedsParams bool
	// Each are the paths of the values that the rule checks. If there are none, it checks the document itself.
	Each []string
	// Contains are texts. The document must contain at least one of them.
	Contains []string
	// Written says how a scalar must be written for the rule to apply.
	Written written
	// Lacks are paths from the value. The rule applies only if none of them exists.
	Lacks []string
	// Items is the minimum number of fields or items that the value must have for the rule to apply.
	Items int
	// Unique is what no two items of the value, a list, may share: a path from the item, or self. It is "" if the
	// rule does not check this.
	Unique string
	// Key makes the rule one about a set of documents. It lists the words and paths whose values group the
	// documents.
	Key []string
	// Keep are the paths of each object that the check of a rule about a set can see.
	Keep []string
	// Misspelled makes the rule one about undeclared fields whose names are similar to those of declared fields.
	Misspelled bool
	// Selector is a path or self: the selector of a reference whose targets are selected by labels.
	Selector string
	// Target are the values that references point to: one of them must have the key.
	Target target
}

// written is a condition on the text of a scalar. The zero value means no condition.
type written struct {
	// Types are the types that the scalar may have, with the names that schemas use.
	Types []string
	// Style is "plain", "single-quoted", "double-quoted", "literal" or "folded"; "" means any.
	Style string
	// Raw is a pattern for the scalar's text, Key a pattern for the text of its key, both as they are written.
	Raw, Key string
}

func (w *written) isZero() bool {
	return len(w.Types) == 0 && w.Style == "" && w.Raw == "" && w.Key == ""
}

// expression is a CEL expression of a rule file. It is compiled when it is first evaluated.
type expression struct {
	written   string // in the rule file
	text      string // with the values of parameters
	inlined   []inlined
	signature cel.Signature
	encoded   string // as it left CEL's checker; "" if that is not known

	once     sync.Once
	compiled *cel.Expression
	faults   []cel.Fault
}

// compile compiles the expression. It returns nil if the expression has faults.
func (e *expression) compile() *cel.Expression {
	e.once.Do(func() {
		if e.encoded != "" {
			e.compiled, e.faults = cel.Precompiled(e.encoded, e.signature, func() string { return e.text })
			return
		}
		e.compiled, e.faults = cel.Compile(e.text, e.signature)
	})
	return e.compiled
}
