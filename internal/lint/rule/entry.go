package rule

import (
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Entry is a rule in a list of rules: what the index holds of it, and its file, which is read on first use. It is safe
// for concurrent use.
type Entry struct {
	*Head
	Severity diag.Severity // for this run
	// IsWaiting means that the rule applies only in namespaces that enforce its level. HasOwnSeverity means that the user
	// has set its severity.
	IsWaiting, HasOwnSeverity bool

	own *Rule // the rule if the user has written it, otherwise nil
	// settings are the values of parameters that the user has set. With them, the check is not the precompiled one.
	settings []Setting

	once     sync.Once
	loaded   *Rule
	compiled sync.Once
	checked  *cel.Expression
	prepared sync.Once
	// isConditional means that the rule applies only to some of the values that its paths lead to: those that pass the
	// filter, have enough items, and lack some fields.
	isConditional bool
	items         int
	lacks         []Path
	filter        *filter
	uniquePath    Path
}

// Rule returns the rule. Its file is read on first use.
func (e *Entry) Rule() *Rule {
	e.once.Do(func() {
		if e.loaded = e.own; e.own == nil {
			e.loaded = loadEmbedded(e.ID)
		}
		if len(e.settings) > 0 {
			e.loaded = e.loaded.with(e.settings)
		}
	})
	return e.loaded
}

// IsRead reports whether the rule's file was read.
func (e *Entry) IsRead() bool { return e.loaded != nil }

// Check returns the compiled check of the rule, or nil if the rule has none. It is compiled on first use.
func (e *Entry) Check() *cel.Expression {
	e.compiled.Do(func() { e.checked = e.compile() })
	return e.checked
}

// compile compiles the check: for an embedded rule from its precompiled form, otherwise from the rule file.
func (e *Entry) compile() *cel.Expression {
	if flat := precompiled()[e.ID].check; flat != "" && e.own == nil && len(e.settings) == 0 {
		check, faults := cel.Precompiled(flat, checkSignature, func() string { return e.Rule().check.text })
		if len(faults) > 0 {
			panic("a precompiled check was checked before: " + faults[0].Message)
		}
		return check
	}
	if check := e.Rule().check; check != nil {
		return check.compile()
	}
	return nil
}

// set changes the parameters of a rule that is not loaded yet. Only then its check differs from the precompiled one.
func (e *Entry) set(settings []Setting) {
	for _, s := range settings {
		if e.isNamed(s.Rule) {
			e.settings = append(e.settings, s)
		}
	}
}

// LacksParams reports whether no value violates the rule because its parameters are not set.
func (e *Entry) LacksParams() bool { return e.NeedsParams && e.own == nil && len(e.settings) == 0 }

// Prepare parses the paths and conditions of the rule on first use. Call it before the methods below.
func (e *Entry) Prepare() {
	e.prepared.Do(func() {
		for _, path := range e.Lacks {
			e.lacks = append(e.lacks, MustPath(path))
		}
		if !e.Written.IsZero() {
			e.filter = e.Written.filter()
		}
		if e.Unique != "" && e.Unique != Self {
			e.uniquePath = MustPath(e.Unique)
		}
		e.items = e.Items
		e.isConditional = e.items > 0 || e.filter != nil || len(e.lacks) > 0
	})
}

// Concerns reports whether the rule applies to a value, as far as that can be decided without the rule's check.
func (e *Entry) Concerns(n manifest.Node) bool { return !e.isConditional || e.meets(n) }

func (e *Entry) meets(n manifest.Node) bool {
	if e.items > 0 && n.Len() < e.items || e.filter != nil && !e.filter.passes(n) {
		return false
	}
	for _, path := range e.lacks {
		if _, ok := path.First(n); ok {
			return false
		}
	}
	return true
}

// IsWrittenAs reports whether a value is written as a rule about the written text of values requires.
func (e *Entry) IsWrittenAs(n manifest.Node) bool { return e.filter.passes(n) }

// UniquePath returns the path to what no two items may share, from the item.
func (e *Entry) UniquePath() Path { return e.uniquePath }

// PlaceOf returns what a rule without a check marks. This is the key if the rule is about keys. If exactly one
// field is missing and it was written as null, it is that null. Otherwise it is the value.
func (e *Entry) PlaceOf(n manifest.Node) source.Place {
	if len(e.lacks) == 1 && len(e.lacks[0]) == 1 {
		if null, ok := n.DroppedNull(e.lacks[0][0].name); ok {
			return null.Place()
		}
	}
	if e.Written.Key != "" && e.Written.Raw == "" && len(e.Written.Types) == 0 {
		return n.KeyPlace()
	}
	return n.Place()
}

// AppliesAt reports whether the rule applies in a namespace that enforces a level, or of which the level is unknown.
func (e *Entry) AppliesAt(level Level) bool {
	if level == 0 || !e.IsOf(Restricted) {
		return !e.IsWaiting
	}
	return e.IsOf(level)
}
