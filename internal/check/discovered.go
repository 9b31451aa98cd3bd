package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// lookedUp is the result of looking up the kind of a document.
type lookedUp struct {
	kind   *catalog.Kind // nil if the kind is unknown; unknown then holds the reason
	isList bool

	unknown catalog.Unknown
	// crd is the closest CRD if several discovered CRDs define the kind and none accepts the document. Otherwise it
	// is the zero value.
	crd source.Place
	all int // number of CRDs that define the kind
}

// lookup finds the kind of a document. It tries, in this order: the kind of the enclosing list, the CRDs that the
// user names, the CRDs among the texts, and the built-in kinds.
func (c *checker) lookup(n manifest.Node, d *document) lookedUp {
	if d.in != nil {
		return lookedUp{kind: d.in}
	}
	if k := c.memory.recent.find(c.engine, d); k != nil {
		k.use(c.memory.used)
		return lookedUp{kind: k.kind, isList: k.isList}
	}
	group, version := catalog.SplitAPIVersion(d.APIVersion)
	candidates := c.engine.discovered.Candidates(c.src.Name, group, version, d.Kind)
	switch {
	case len(candidates.List) > 0:
		return c.choose(n, candidates)
	case candidates.IsUnserved:
		return lookedUp{unknown: c.engine.discovered.Unserved(c.src.Name, group, version, d.Kind)}
	}
	if entry, ok := c.engine.options.Catalog.Entry(group, d.Kind); ok {
		c.memory.used.add(entry, version)
	}
	kind, isList, ok := c.engine.options.Catalog.Lookup(group, version, d.Kind)
	if ok {
		return lookedUp{kind: kind, isList: isList}
	}
	unknown := c.engine.options.Catalog.Explain(group, version, d.Kind)
	if unknown.Rule == diag.UnknownGroup && c.engine.discovered.HasGroup(group) {
		unknown.Near, unknown.Help = false, "" // the group exists
	}
	return lookedUp{unknown: unknown}
}

// maxTrial is the maximum size in bytes of a part that is read again for each of several CRDs. Only a list may be
// larger, because a server accepts no document of this size.
const maxTrial = 4 << 20

// choose returns the first candidate that accepts a document. If none does, it returns the closest one. Among equally
// close candidates, the one with the fewest violations wins.
func (c *checker) choose(n manifest.Node, from catalog.Candidates) lookedUp {
	best := from.List[0]
	chosen := lookedUp{kind: best.Kind, isList: from.IsList}
	span := c.part.Span
	if len(from.List) == 1 || from.IsList || span.End-span.Start > maxTrial {
		return chosen
	}
	if c.chosen.node == n {
		return c.chosen.found
	}
	c.chosen.node, c.chosen.found = n, c.closest(n, from)
	return c.chosen.found
}

// closest tries all candidates.
func (c *checker) closest(n manifest.Node, from catalog.Candidates) lookedUp {
	best, fewest := from.List[0], -1
	for i, candidate := range from.List {
		violations := c.try(n, i, candidate.Kind)
		if violations == 0 {
			return lookedUp{kind: candidate.Kind}
		}
		if candidate.Distance == best.Distance && (fewest < 0 || violations < fewest) {
			best, fewest = candidate, violations
		}
	}
	return lookedUp{kind: best.Kind, crd: best.CRD, all: from.All}
}

// try returns how many violations a document would have if it were of the given kind. The check edits the document,
// so it works on a separate tree, which all documents of a list share.
func (c *checker) try(n manifest.Node, trial int, kind *catalog.Kind) int {
	if trial == len(c.memory.trials) {
		tree := &manifest.Tree{}
		tree.Until(c.memory.until)
		c.memory.trials = append(c.memory.trials, tree)
	}
	tree := c.memory.trials[trial]
	if trial >= c.tried {
		tree.Read(c.src, c.read)
		c.tried = trial + 1
	}
	n = n.In(tree)
	if !dropSOPS(n) && c.isEncrypted {
		blockEncrypted(n)
	}
	count := 0
	violations := kind.CheckFor(c.engine.options.Catalog.Kubernetes(), n, manifest.Node{})
	for _, list := range [][]diag.Violation{violations, kind.Rules.Check(c.engine.options.Allowance, n, manifest.Node{}).Violations} {
		for i := range list {
			for v := range list[i].All() {
				count += 1 + v.More
			}
		}
	}
	return count
}

// withoutAllowed drops the violations of a copy of a CRD that the operator of the kind allows.
func (c *checker) withoutAllowed(kind *catalog.Kind, d *document, violations []diag.Violation) []diag.Violation {
	if kind.Stored.Source == "" {
		return violations
	}
	return slices.DeleteFunc(violations, func(v diag.Violation) bool {
		value := ""
		if v.Rule == diag.NotInEnum || v.Rule == diag.WrongType {
			at := v.Place.Found()
			value = strings.Trim(c.src.Text[at.Start-c.src.FirstByte:at.End-c.src.FirstByte], `"'`)
		}
		by, ok := kind.AllowedBy(&v, value)
		if ok {
			dropped := v.NotEvaluated(diag.AllowedByOperator)
			dropped.Object, dropped.On = kept(d.Object), by
			c.takeNotEvaluated([]diag.NotEvaluated{dropped})
		}
		return ok
	})
}

// versioned are the rules whose errors another version of a schema may not have.
var versioned = []diag.Rule{diag.MissingField, diag.NotInEnum, diag.DuplicateItem, diag.NoMatch, diag.CEL}

// nameSource adds the source of the schema to the first unknown field: the schema may be older than the document. If nobody has
// chosen the version of the schema, a field without a similar one is a warning, and the document is one of another version: what
// its schema requires may be new, too.
func (l *lookedUp) nameSource(violations []diag.Violation) {
	if l.kind == nil || l.kind.Stored.Source == "" {
		return
	}
	isNamed, isOther := false, false
	add := "if your cluster has another version, add that: kindvet schemas add " + l.kind.Stored.Name + "@VERSION"
	for i := range violations {
		v := &violations[i]
		if v.Rule != diag.UnknownField {
			continue
		}
		if l.kind.Stored.IsNewest && (len(v.Applicable(true)) == 0 && !strings.HasPrefix(v.Help, "use ") || becomesList(v)) {
			v.Severity, v.Help, v.Fixes, v.Common = diag.Warning, add, nil, l.kind.Stored.Source+": "+v.Message
			isOther = true
		}
		if !isNamed {
			isNamed = true
			v.Related = append(v.Related, diag.Related{
				Place: l.kind.Stored.CRD, Message: "the schema is that of " + l.kind.Stored.Source,
			})
		}
	}
	for i := range violations {
		if v := &violations[i]; isOther && v.Severity == diag.Error && slices.Contains(versioned, v.Rule) {
			v.Severity, v.Help, v.Common = diag.Warning, add, l.kind.Stored.Source+": "+v.Message
		}
	}
}

// becomesList reports whether the field that is similar to an unknown one is its plural: a later version of the kind has a list
// instead.
func becomesList(v *diag.Violation) bool {
	known, ok := strings.CutPrefix(v.Help, "use ")
	if !ok || len(v.Path) == 0 {
		return false
	}
	name := v.Path[len(v.Path)-1].Name
	known, _, _ = strings.Cut(known, ", which is required")
	return known == diag.Quote(name+"s") || known == diag.Quote(name+"es")
}

// name adds the name of the chosen CRD to the first violation of a document.
func (l *lookedUp) name(violations []diag.Violation) {
	l.nameSource(violations)
	if l.all == 0 {
		return
	}
	message := "checked against this CRD, the closest of " + strconv.Itoa(l.all) + " of the kind"
	if l.all > catalog.MaxCandidates {
		message += ", of which " + strconv.Itoa(catalog.MaxCandidates) + " were tried"
	}
	for i := range violations {
		if v := &violations[i]; v.Severity == diag.Error {
			v.Related = append(v.Related, diag.Related{Place: l.crd, Message: message})
			return
		}
	}
}
