package lint

import (
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
)

// Rule is one lint rule, as its file says it.
type Rule struct {
	head

	// Message is said of each violation, unless the rule has a messageExpression that gives a text; where it is "",
	// the title is.
	Message string
	// Help says what to do, Why explains the rule, Origin names what it rests on.
	Help, Why, Origin string
	// Secret means that the value at fault must not be shown.
	Secret bool
	// File is the file that the rule was read from: in the directory of the lint rules if Embedded, else on disk.
	File     string
	Embedded bool

	check, message *expression // nil where the rule has none
}

// head is what the index keeps of a rule: enough to know whether a document can break it.
type head struct {
	// ID is family/fault, the name of the rule's directory.
	ID       diag.Rule
	Title    string
	Severity diag.Severity
	Tags     []string
	// Kinds are the kinds that the rule is about, as Kind.group, Kind, *.group or *.
	Kinds []string
	// Each are the paths of the values that the rule looks at; none means the document itself.
	Each []string
	// Contains are texts of which a document must hold one.
	Contains []string
	// Written says how a scalar must be written for the rule to look at it.
	Written written
	// Lacks are paths, from the value, of which none may exist for the rule to look at it.
	Lacks []string
	// Items is the least number of fields or items that the value must have for the rule to look at it.
	Items int
	// Unique is what no two items of the value, a list, may have in common: a path from the item, or self; "" for a
	// rule that does not ask.
	Unique string
	// Key makes the rule one about a set of documents: the words and paths by whose values documents belong together.
	Key []string
	// Keep are the paths that the check of a rule about a set sees of each object.
	Keep []string
	// Misspelled makes the rule one about undeclared fields whose names are nearly those of declared ones.
	Misspelled bool
	// Target are the documents of which one must have the key: the rule is about references.
	Target target
}

// target is what references lead to; without kinds there is none.
type target struct {
	Kinds, Each, Key []string
}

// written is a condition on the text of a scalar. Its zero value is none.
type written struct {
	// Types are the types that the scalar may have, as a schema names them.
	Types []string
	// Style is "plain", "single-quoted", "double-quoted", "literal" or "folded"; "" is any.
	Style string
	// Raw matches the scalar's text, Key that of its key, as they are written.
	Raw, Key string
}

func (w *written) isZero() bool {
	return len(w.Types) == 0 && w.Style == "" && w.Raw == "" && w.Key == ""
}

// expression is a CEL expression of a rule file, compiled when it is first evaluated.
type expression struct {
	text      string
	signature cel.Signature

	once     sync.Once
	compiled *cel.Expression
	faults   []cel.Fault
}

// compile compiles the expression; it is nil where it has faults.
func (e *expression) compile() *cel.Expression {
	e.once.Do(func() { e.compiled, e.faults = cel.Compile(e.text, e.signature) })
	return e.compiled
}

// Broken is the name of a violation that is about a rule file.
const Broken diag.Rule = "broken-rule"
