package chart

import (
	"slices"

	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/diag"
)

// Since returns what to say about a value if templates of an old version of the chart read it; false if they did not. The help
// names the key that replaced it: the nearest one, or the only one that is read there now and was not.
func (x *Unread) Since(old *Loaded) (diag.Violation, bool) {
	v := x.Violation
	if x.path == nil {
		return v, false
	}
	was := old.readBy(Values{})
	before, isRead := nodesAt([]*reads.Node{was.all}, x.path)
	if !was.isKnown || len(before) == 0 && !isRead {
		return v, false
	}
	v.Message += ": no longer read since this chart version"
	if version := x.by.top.metadata.Version; version != old.chart.metadata.Version {
		v.Message += ", " + version
	}
	if v.Help != helpToRemove {
		return v, true
	}
	parent := x.path[:len(x.path)-1]
	now, _ := nodesAt([]*reads.Node{x.by.all}, parent)
	then, isAll := nodesAt([]*reads.Node{was.all}, parent)
	if isAll {
		return v, true
	}
	var names []string
	for _, name := range readNames(now) {
		if !slices.Contains(readNames(then), name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		v.Help = "use " + diag.Quote(keyOf(append(slices.Clip(parent), names[0])))
	}
	return v, true
}

// nodesAt returns what is read at a path. isRead means that all of it is read.
func nodesAt(nodes []*reads.Node, path []any) (below []*reads.Node, isRead bool) {
	for _, step := range path {
		if nodes, isRead = readBelow(nodes, stepName(step)); isRead || len(nodes) == 0 {
			return nodes, isRead
		}
	}
	return nodes, slices.ContainsFunc(nodes, func(n *reads.Node) bool { return n.IsAll })
}

// readNames returns the names of what is read by name, sorted.
func readNames(nodes []*reads.Node) (names []string) {
	for _, n := range nodes {
		for name := range n.Fields {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
