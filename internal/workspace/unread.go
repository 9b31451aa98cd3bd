package workspace

import (
	"cmp"
	"slices"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// unreadValues are the values of a chart that no template reads. A value counts if that holds for each set of values that it
// is a part of.
type unreadValues struct {
	uses  map[string]int // of what sets values, by its origin
	found map[unreadKey]int
	list  []chart.Unread
	old   map[string]bool // messages about the chart that is compared
	// before is the old version of the chart; nil for none.
	before *chart.Loaded
	// unknown is why there may be more; "" if there are not.
	unknown string
}

type unreadKey struct {
	origin, message string
	at              source.Place
}

func keyOfUnread(x *chart.Unread) unreadKey {
	at := x.Violation.Place
	return unreadKey{x.Origin, x.Violation.Message, source.Place{File: at.File, Span: at.Span}}
}

// note adds what is found with a set of values.
func (u *unreadValues) note(r *chart.Rendered) {
	with := r.Unread()
	if u.uses == nil {
		u.uses, u.found = map[string]int{}, map[unreadKey]int{}
	}
	for _, origin := range with.Origins {
		u.uses[origin]++
	}
	for i := range with.List {
		key := keyOfUnread(&with.List[i])
		if u.found[key]++; u.found[key] == 1 {
			u.list = append(u.list, with.List[i])
		}
	}
	u.unknown = cmp.Or(u.unknown, with.Unknown)
}

// noteOld adds what is found in the chart that is compared.
func (u *unreadValues) noteOld(r *chart.Rendered) {
	if u.old == nil {
		u.old = map[string]bool{}
	}
	for _, x := range r.Unread().List {
		u.old[x.Violation.Message] = true
	}
}

// addTo adds the findings to a result, or why they are not known. at is the place of the chart.
func (u *unreadValues) addTo(r *check.Result, at source.Place) {
	r.Add(u.violations()...)
	if u.unknown != "" {
		r.NotEvaluated = append(r.NotEvaluated, diag.NotEvaluated{Rule: string(diag.UnreadValue), Reason: u.unknown, Place: at})
	}
}

// violations returns the findings, sorted by place.
func (u *unreadValues) violations() (list []diag.Violation) {
	for i := range u.list {
		x := &u.list[i]
		if u.found[keyOfUnread(x)] == u.uses[x.Origin] && !u.old[x.Violation.Message] {
			v := x.Violation
			if u.before != nil {
				v, _ = x.Since(u.before)
			}
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b diag.Violation) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Span.Start, b.Place.Span.Start))
	})
	return list
}

// dropRead drops the findings about values that are not read by one chart, but by another one with which a file of values is
// shared. Of those that no chart reads, one stays.
func (p *plan) dropRead(results [][]*check.Result) {
	charts, uses := p.usesOfValues()
	if charts < 2 {
		return
	}
	found := map[unreadKey]int{}
	key := func(v *diag.Violation) unreadKey {
		return unreadKey{at: source.Place{File: v.Place.File, Span: v.Place.Span}, message: v.Message}
	}
	isUnread := func(v diag.Violation) bool { return v.Rule == diag.UnreadValue && uses[v.Place.File] > 1 }
	for _, parts := range results {
		for _, r := range parts {
			for i := range r.Violations {
				if v := &r.Violations[i]; isUnread(*v) {
					found[key(v)]++
				}
			}
		}
	}
	seen := map[unreadKey]bool{}
	for _, parts := range results {
		for j, r := range parts {
			if !slices.ContainsFunc(r.Violations, isUnread) {
				continue
			}
			parts[j] = r.Clone() // results may be kept
			parts[j].Drop(func(v *diag.Violation) bool {
				if !isUnread(*v) {
					return false
				}
				isFirst := !seen[key(v)]
				seen[key(v)] = true
				return !isFirst || found[key(v)] < uses[v.Place.File]
			})
		}
	}
}

// usesOfValues returns the number of charts, and how many of them use each file of values, by its name.
func (p *plan) usesOfValues() (charts int, uses map[string]int) {
	uses = map[string]int{}
	for _, u := range p.units {
		c, ok := u.(*chartUnit)
		if !ok {
			continue
		}
		charts++
		files := p.options.Chart.Values.Files()
		for i := range c.sets {
			for _, src := range c.sets[i].Files {
				files = append(files, src.Name)
			}
		}
		slices.Sort(files)
		for _, name := range slices.Compact(files) {
			uses[name]++
		}
	}
	return charts, uses
}
