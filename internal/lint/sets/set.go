package sets

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/lint/rule"
)

// Rules are the rules of a run about sets of documents. They are safe for concurrent use.
type Rules struct {
	list rule.List
	// isComplete and isAll say which references without a target are reported (see links).
	isComplete, isAll bool

	once     sync.Once
	prepared []*setRule
}

// New returns the rules of a list that are about sets of documents. isComplete means that the targets of all references
// must be among the files, isAll that references to targets that may be outside of the files are reported.
func New(list rule.List, isComplete, isAll bool) *Rules {
	return &Rules{list: list, isComplete: isComplete, isAll: isAll}
}

// all returns the rules. They are prepared on first use.
func (r *Rules) all() []*setRule {
	r.once.Do(func() {
		for _, e := range r.list {
			if len(e.Key) > 0 {
				r.prepared = append(r.prepared, newSetRule(e))
			}
		}
	})
	return r.prepared
}

// setRule is a rule about a set of documents: its key, and what is added to the hashes of its keys. If it is about
// references, it also has their selector, their targets, and what something else may provide.
type setRule struct {
	*rule.Entry
	key      key
	salt     uint64
	selector keyPart
	to       *definition
	provided provided
}

func newSetRule(e *rule.Entry) *setRule {
	e.Prepare()
	r := &setRule{Entry: e, salt: maphash.String(hashSeed, string(e.ID))}
	if !e.IsReference() {
		r.key = newKey(e.Key, e.Key)
		return r
	}
	r.key = newKey(e.Key, e.Target.Key)
	r.to, r.provided = newDefinition(&e.Target), providersOf(&e.Target)
	if e.Selector != "" {
		r.selector = newKeyPart(e.Selector)
	}
	return r
}

// isOfObject reports whether the rule is about references to objects, not to their values.
func (r *setRule) isOfObject() bool {
	last := r.Target.Key[len(r.Target.Key)-1]
	return last == "name" || r.Target.Labels != "" && len(r.Target.Each) == 0
}

// definition says which values are targets of references, and with which key. Rules with the same targets share it.
type definition struct {
	salt   uint64 // of the hashes of targets
	key    key
	each   []rule.Path
	labels rule.Path
	// isLabeled means that references select their targets by labels, hasValues that the targets are values of the
	// selected objects.
	isLabeled, hasValues bool
	// isConflict means that references must have no target. Values that are not written then do not count.
	isConflict bool
}

func newDefinition(t *rule.Target) *definition {
	join := func(list []string) string { return strings.Join(list, ",") }
	lists := []string{join(t.Kinds), t.Type, join(t.Each), join(t.Key), t.Labels, strconv.FormatBool(t.Conflicts)}
	to := &definition{
		salt: maphash.String(hashSeed, strings.Join(lists, "\t")),
		key:  newKey(t.Key, t.Key), each: rule.PathsOrRoot(t.Each), isLabeled: t.Labels != "",
		hasValues:  t.Labels != "" && len(t.Each) > 0,
		isConflict: t.Conflicts,
	}
	if t.Labels != "" {
		to.labels = rule.MustPath(t.Labels)
	}
	return to
}

// Plan is what the rules look at in documents of one kind. A nil Plan looks at nothing.
type Plan struct {
	rules *Rules
	paths *rule.Tree // of the indexes of rules
	// targets and providers are what other documents can refer to.
	targets   []targeted
	providers []providing
}

// targeted is a definition of targets, with the values that have them in documents of a kind.
type targeted struct {
	rule  *setRule // the first of those with the definition
	bases []rule.Path
}

// providing is a path of names that an object provides, and the kind of the objects that it creates with them.
type providing struct {
	kind string
	path rule.Path
}

// Plan returns the plan for documents of a kind, in namespaces that enforce a level.
func (r *Rules) Plan(k rule.Kind, level rule.Level) *Plan {
	p := &Plan{rules: r}
	for i, e := range r.all() {
		if e.AppliesTo(k) && e.AppliesAt(level) && !e.LacksParams() {
			p.add(i, k)
		}
		if e.IsReference() {
			p.addTargets(e, k)
		}
	}
	p.addProviders(k)
	if p.paths == nil && len(p.targets)+len(p.providers) == 0 {
		return nil
	}
	return p
}

func (p *Plan) add(index int, k rule.Kind) {
	if p.paths == nil {
		p.paths = &rule.Tree{}
	}
	for _, path := range p.rules.all()[index].PathsIn(k) {
		p.paths.Add(path, index)
	}
}

// addTargets adds the targets that documents of a kind are for a rule.
func (p *Plan) addTargets(e *setRule, k rule.Kind) {
	t := rule.Head{Kinds: e.Target.Kinds, Type: e.Target.Type}
	if !t.AppliesTo(k) || slices.ContainsFunc(p.targets,
		func(have targeted) bool { return have.rule.to.salt == e.to.salt }) {
		return
	}
	p.targets = append(p.targets, targeted{e, t.PathsIn(k)})
}

// addProviders adds what documents of a kind provide for the references of the rules.
func (p *Plan) addProviders(k rule.Kind) {
	for _, x := range providers() {
		isUsed := func(e *setRule) bool {
			return e.IsReference() && (x.kind == AnyKind || slices.Contains(e.Target.Kinds, x.kind))
		}
		if x.by != "-" && k.Matches(x.by) && slices.ContainsFunc(p.rules.all(), isUsed) {
			p.providers = append(p.providers, providing{x.kind, rule.MustPath(x.name)})
		}
	}
}
