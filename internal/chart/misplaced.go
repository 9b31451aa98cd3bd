package chart

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/diag"
)

// helpToRemove is the help if no other key is near.
const helpToRemove = "remove it, or correct its name"

// help returns what to do with a value that nothing reads: the key that is meant, or where it belongs. near is the key that is
// read if the other is nearly the same; "" for none.
func (u *readValues) help(c *claim) (help, near string) {
	key, _ := c.path[len(c.path)-1].(string)
	parent := c.path[:len(c.path)-1]
	at := func(name string) string { return diag.Quote(keyOf(append(slices.Clip(parent), name))) }
	if alias := u.aliases[key]; alias != "" && len(parent) == 0 {
		return "use " + at(alias) + ", the alias of the subchart", alias
	}
	next := u.keysNextTo(c)
	name, ok := u.nearestKey(key, next)
	if ok && u.isSure(key, name) {
		return "use " + at(name), name
	}
	var list []string
	if !c.isOwn {
		list = u.elsewhere(c, key)
	}
	if len(list) == 0 && ok {
		return "use " + at(name), name
	}
	if ok {
		list = append([]string{at(name)}, list...)
	}
	if len(list) > 0 {
		help = "use " + strings.Join(list, " or ")
		if len(list) == 1 {
			help += u.move(list[0], key)
		}
		return help, ""
	}
	return helpToRemove, ""
}

// move returns where a value belongs that is meant to have this path.
func (u *readValues) move(quoted, key string) string {
	above, ok := strings.CutSuffix(strings.Trim(quoted, `"`), keyOf([]any{key}))
	if above = strings.TrimSuffix(above, "."); !ok || above == "" {
		return ""
	}
	return ": move it below " + diag.Quote(above)
}

// isSure reports whether a near name is that of the same key with a small mistake: then the key is not at the wrong level.
func (u *readValues) isSure(key, name string) bool {
	return plainKey(key) == plainKey(name) || max(len(key)-len(name), len(name)-len(key)) <= 1
}

// keysNextTo returns the keys that are read in the map of a value, but that the map does not set.
func (u *readValues) keysNextTo(c *claim) (names []string) {
	for _, n := range c.nodes {
		if u.names.Left -= len(n.Fields); u.names.Left < 0 {
			return nil
		}
		for name := range n.Fields {
			if _, isSet := c.siblings[name]; !isSet {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nearestKey returns the name that is the same without case, "-", "_" and a plural "s", or the nearest one.
func (u *readValues) nearestKey(key string, names []string) (string, bool) {
	plain := plainKey(key)
	for _, name := range names {
		if u.names.Left--; u.names.Left < 0 {
			return "", false
		}
		if plainKey(name) == plain {
			return name, true
		}
	}
	return u.names.Name(key, names)
}

func plainKey(key string) string {
	return strings.TrimSuffix(strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key)), "s")
}

// elsewhere returns the paths of other values with the same key that are read: first of the map above, then of a map
// next to it, then of a subchart, and then anywhere. With too many, there are none.
func (u *readValues) elsewhere(c *claim, key string) []string {
	var all [][]any
	u.collect(&all, u.all, u.top.values, nil, key)
	var best []string
	bestRank := 5
	for _, p := range all {
		if slices.Equal(p, c.path) {
			continue
		}
		rank := u.rank(p, c.path)
		switch {
		case rank < bestRank:
			best, bestRank = []string{diag.Quote(keyOf(p))}, rank
		case rank == bestRank:
			best = append(best, diag.Quote(keyOf(p)))
		}
	}
	if len(best) > mostNamed || bestRank == 4 && len(key) < shortKey {
		return nil
	}
	return best
}

// mostNamed is the maximum number of places that a help names.
const mostNamed = 3

// shortKey is the length below which a key says too little to look for it anywhere.
const shortKey = 3

func (u *readValues) rank(candidate, path []any) int {
	parent := path[:len(path)-1]
	n := len(candidate)
	switch {
	case len(parent) > 0 && slices.Equal(candidate[:n-1], parent[:len(parent)-1]):
		return 1
	case n == len(path)+1 && slices.Equal(candidate[:n-2], parent):
		return 2
	case n == 2 && u.isSubchart(candidate[0]):
		return 3
	}
	return 4
}

func (u *readValues) isSubchart(name any) bool {
	text, _ := name.(string)
	_, ok := u.top.subchart(text)
	return ok
}

// mostElsewhere and mostLevels limit where values with the same key are looked for.
const (
	mostElsewhere = 50
	mostLevels    = 12
)

// collect adds the paths at which a key is read: those that templates name, and those of default values.
func (u *readValues) collect(all *[][]any, n *reads.Node, defaults any, path []any, key string) {
	table, _ := defaults.(map[string]any)
	names := slices.Collect(maps.Keys(n.Fields))
	if n.IsAll || n.Any != nil {
		names = slices.AppendSeq(names, maps.Keys(table))
	}
	if u.visits -= len(names); u.visits < 0 || len(path) == mostLevels {
		return
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if len(*all) == mostElsewhere {
			return
		}
		at := append(slices.Clip(path), name)
		if name == key {
			*all = append(*all, at)
		}
		if name == globalKey {
			continue
		}
		below := n
		if !n.IsAll {
			below = cmp.Or(n.Fields[name], n.Any)
		}
		u.collect(all, below, table[name], at, key)
	}
}
