package lint

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// plan is the set of rules that apply to the documents of one kind.
type plan struct {
	values  *branch  // rules that check values by path
	asking  []asking // those that check few documents, selected by the texts that they require
	scanner *scanner // rules that check every scalar; nil if there are none
	texts   *texts   // that rules require; nil if there are none
	sets    *branch  // rules about sets of documents; nil if there are none
	// targets and providers are what other documents can refer to.
	targets   []targeted
	providers []providing
	// misspelled are the rules about undeclared fields.
	misspelled []*entry
	// pod is the path of the pod template; nil if the kind has none. It is empty if the document is a Pod.
	pod []step
}

// maxPlans is the maximum number of plans of a set. Without it, a stream of documents of ever new kinds would fill
// the memory.
const maxPlans = 1000

// planOf returns the plan of a kind at a level. It is created on first use.
func (s *Set) planOf(k planKey) *plan {
	s.mu.RLock()
	p, ok := s.plans[k]
	s.mu.RUnlock()
	if ok {
		return p
	}
	p = s.newPlan(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plans == nil || len(s.plans) >= maxPlans {
		s.plans = map[planKey]*plan{}
	}
	s.plans[planKey{kind{strings.Clone(k.group), strings.Clone(k.name)}, k.level}] = p
	return p
}

// CacheSize returns the number of plans that the set keeps.
func (s *Set) CacheSize() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.plans)
}

// asking are rules that require the same texts, with their paths. entry is one of them.
type asking struct {
	*entry
	values *branch
}

// askingFor returns the paths of the rules that require the same texts as e.
func (p *plan) askingFor(e *entry) *branch {
	for _, a := range p.asking {
		if slices.Equal(a.Contains, e.Contains) {
			return a.values
		}
	}
	p.asking = append(p.asking, asking{e, &branch{}})
	return p.asking[len(p.asking)-1].values
}

func (s *Set) newPlan(key planKey) *plan {
	k := key.kind
	p := &plan{values: &branch{}, pod: podPath(k)}
	var scanned []*entry
	for _, e := range s.entries {
		applies := e.appliesTo(k) && e.appliesAt(key.level) && !e.lacksParams()
		switch {
		case len(e.Key) > 0:
			e.prepare()
			if applies {
				p.addSet(e, k)
			}
			if e.isReference() {
				p.addTargets(e, k)
			}
		case !applies:
		case e.Misspelled:
			p.misspelled = append(p.misspelled, e)
		case slices.Equal(e.Each, []string{"**"}) && !e.Written.isZero() && len(e.Lacks)+e.Items == 0 &&
			len(scanned) < mostScanned:
			e.prepare()
			scanned = append(scanned, e)
			p.ask(e)
		default:
			e.prepare()
			values := p.values
			if len(e.Contains) > 0 {
				values = p.askingFor(e)
			}
			for _, path := range e.pathsIn(k) {
				values.add(path, e)
			}
			p.ask(e)
		}
	}
	p.addProviders(s.entries, k)
	if len(scanned) > 0 {
		p.scanner = newScanner(scanned)
	}
	return p
}

// addSet adds a rule about a set of documents.
func (p *plan) addSet(e *entry, k kind) {
	if p.sets == nil {
		p.sets = &branch{}
	}
	for _, path := range e.pathsIn(k) {
		p.sets.add(path, e)
	}
}

// ask adds the texts that a rule requires to those that documents are searched for.
func (p *plan) ask(e *entry) {
	if e.textBit == 0 {
		return
	}
	if p.texts == nil {
		p.texts = &texts{}
	}
	if p.texts.bits&e.textBit != 0 {
		return
	}
	p.texts.bits |= e.textBit
	for _, text := range e.Contains {
		p.texts.add(text, e.textBit)
	}
}

// branch is a place that paths lead to or through. The paths of all rules form one tree, so common parts are walked
// only once.
type branch struct {
	rules    []*entry // rules that check the values here
	names    uint64   // bit set of the hashes, modulo 64, of the names in fields
	fields   []branchField
	items    *branch // after []; nil if no path leads there
	any      *branch // after *
	anywhere *branch // after **
}

type branchField struct {
	step
	to *branch
}

// add adds a rule at the end of a path.
func (b *branch) add(path []step, e *entry) {
	if len(path) == 0 {
		b.rules = append(b.rules, e)
		return
	}
	b.behind(path[0]).add(path[1:], e)
}

// behind returns the branch after a step.
func (b *branch) behind(s step) *branch {
	next := &b.anywhere
	switch s.kind {
	case stepField:
		return b.field(s)
	case stepItems:
		next = &b.items
	case stepAny:
		next = &b.any
	}
	if *next == nil {
		*next = &branch{}
	}
	return *next
}

func (b *branch) field(s step) *branch {
	for i := range b.fields {
		if b.fields[i].name == s.name {
			return b.fields[i].to
		}
	}
	b.names |= 1 << (s.hash % 64)
	b.fields = append(b.fields, branchField{s, &branch{}})
	return b.fields[len(b.fields)-1].to
}

// follow checks the values that the paths of a branch lead to.
func (c *checker) follow(n manifest.Node, b *branch) {
	for _, e := range b.rules {
		c.look(e, n)
	}
	switch n.Type() {
	case manifest.Map:
		if b.names != 0 {
			c.followFields(n, b)
		}
		if b.any != nil {
			c.followAll(n, b.any)
		}
	case manifest.List:
		if b.items != nil {
			c.followAll(n, b.items)
		}
	}
	if b.anywhere != nil {
		c.followAnywhere(n, b.anywhere)
	}
}

func (c *checker) followFields(n manifest.Node, b *branch) {
	for child := n.First(); child.Valid(); child = child.Next() {
		hash := child.KeyHash()
		if b.names&(1<<(hash%64)) == 0 {
			continue
		}
		for i := range b.fields {
			if f := &b.fields[i]; f.hash == hash && !child.Shadowed() && f.name == child.Key() {
				c.follow(child, f.to)
			}
		}
	}
}

func (c *checker) followAll(n manifest.Node, b *branch) {
	for child := n.First(); child.Valid(); child = child.Next() {
		c.follow(child, b)
	}
}

// followAnywhere follows a branch from a value and from every value below it.
func (c *checker) followAnywhere(n manifest.Node, b *branch) {
	c.follow(n, b)
	for child := n.First(); child.Valid(); child = child.Next() {
		if len(b.rules) > 0 || child.Type() >= manifest.Map { // all other paths end at a scalar
			c.followAnywhere(child, b)
		}
	}
}
