package lint

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
)

// plan is the set of rules that apply to the documents of one kind.
type plan struct {
	values  *rule.Tree // rules that check values by path
	asking  []asking   // those that check few documents, selected by the texts that they require
	scanner *scanner   // rules that check every scalar; nil if there are none
	texts   *texts     // that rules require; nil if there are none
	sets    *sets.Plan
	// misspelled are the rules about undeclared fields.
	misspelled []*rule.Entry
	// pod is the path of the pod template; nil if the kind has none. It is empty if the document is a Pod.
	pod rule.Path
}

// maxPlans is the maximum number of plans of a set. Without it, a stream of documents of ever new kinds would fill
// the memory. 29 public repositories have at most 309 kinds.
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
	s.plans[planKey{rule.Kind{Group: strings.Clone(k.Group), Name: strings.Clone(k.Name)}, k.level}] = p
	return p
}

// CacheSize returns the number of plans that the set keeps.
func (s *Set) CacheSize() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.plans)
}

// asking are rules that require the same texts, with their paths.
type asking struct {
	required
	values *rule.Tree
}

// askingFor returns the paths of the rules that require these texts.
func (p *plan) askingFor(r required) *rule.Tree {
	for _, a := range p.asking {
		if slices.Equal(a.texts, r.texts) {
			return a.values
		}
	}
	p.asking = append(p.asking, asking{r, &rule.Tree{}})
	return p.asking[len(p.asking)-1].values
}

func (s *Set) newPlan(key planKey) *plan {
	k := key.Kind
	p := &plan{values: &rule.Tree{}, sets: s.sets.Plan(k, key.level), pod: rule.PodPath(k)}
	var scanned []scannedRule
	for i, e := range s.list {
		needs := required{e.Contains, s.bits[textsKey(e.Contains)]}
		switch {
		case len(e.Key) > 0: // it is about several documents
		case !e.AppliesTo(k) || !e.AppliesAt(key.level) || e.LacksParams():
		case e.Misspelled:
			p.misspelled = append(p.misspelled, e)
		case slices.Equal(e.Each, []string{"**"}) && !e.Written.IsZero() && len(e.Lacks)+e.Items == 0 &&
			len(scanned) < mostScanned:
			e.Prepare()
			scanned = append(scanned, scannedRule{e, needs})
			p.ask(needs)
		default:
			e.Prepare()
			values := p.values
			if len(e.Contains) > 0 {
				values = p.askingFor(needs)
			}
			for _, path := range e.PathsIn(k) {
				values.Add(path, i)
			}
			p.ask(needs)
		}
	}
	if len(scanned) > 0 {
		p.scanner = newScanner(scanned)
	}
	return p
}

// ask adds texts that a rule requires to those that documents are searched for.
func (p *plan) ask(r required) {
	if r.bit == 0 {
		return
	}
	if p.texts == nil {
		p.texts = &texts{}
	}
	if p.texts.bits&r.bit != 0 {
		return
	}
	p.texts.bits |= r.bit
	for _, text := range r.texts {
		p.texts.add(text, r.bit)
	}
}

// podOf returns the pod template of a document, which is not valid if there is none.
func (p *plan) podOf(root manifest.Node) manifest.Node {
	if p.pod == nil {
		return manifest.Node{}
	}
	n, ok := p.pod.First(root)
	if !ok {
		return manifest.Node{}
	}
	return n
}

// find searches a document for the texts that rules require. This is done only once, and only if such rules are
// checked.
func (p *plan) find(d *Document) {
	if d.held.known || d.OnlyDetails || p.texts == nil {
		return
	}
	d.held = held{known: true, bits: p.texts.in(d.text())}
}
