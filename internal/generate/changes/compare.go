package changes

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// report has the differences of two releases in the order in which they are printed.
type report struct {
	kinds, lifecycles, gates []change
	publicNames              []change
	code                     []codeChange
	marked                   []string // functions of which only marks of errors differ
	resigned                 []string // functions of which only the first line differs
}

// change is something new, gone or different.
type change struct {
	sign     string // "+", "-" or "~"
	group    string
	name     string
	text     string
	old, new place
	below    []change // of tags
}

// codeChange is the change of a declaration.
type codeChange struct {
	change
	kinds        []string
	added, taken []string // lines
	sites        []change
}

func compare(old, new *release) *report {
	r := &report{
		kinds:       compareTexts(old.facts.Kinds, new.facts.Kinds),
		lifecycles:  compareTexts(old.facts.Lifecycles, new.facts.Lifecycles),
		gates:       compareTexts(old.facts.Gates, new.facts.Gates),
		publicNames: compareMembers(old.publicNames, new.publicNames),
	}
	r.compareCode(old, new)
	return r
}

func compareTexts(old, new map[string]string) []change {
	var all []change
	for _, name := range union(old, new) {
		was, wasThere := old[name]
		is, isThere := new[name]
		switch {
		case !wasThere:
			all = append(all, change{sign: "+", name: name, text: is})
		case !isThere:
			all = append(all, change{sign: "-", name: name, text: was})
		case was != is:
			all = append(all, change{sign: "~", name: name, text: was + " -> " + is})
		}
	}
	return all
}

// union returns the sorted keys of two maps.
func union[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// compareMembers returns the changes of types, fields and values. The same change in several versions of a group is one.
func compareMembers(old, new map[string]publicName) []change {
	var all []change
	for _, id := range union(old, new) {
		was, wasThere := old[id]
		is, isThere := new[id]
		c := change{sign: "~", group: cmp.Or(is.group, was.group), old: was.place, new: is.place,
			name: cmp.Or(is.name, was.name), text: cmp.Or(is.version, was.version)}
		typ := ""
		switch {
		case !wasThere:
			c.sign, typ = "+", is.text
		case !isThere:
			c.sign, typ = "-", was.text
		case was.text != is.text:
			typ = was.text + " -> " + is.text
		}
		if isPartOf(c, old, new) {
			continue
		}
		c.name = strings.TrimSpace(c.name + " " + typ)
		if c.sign != "-" {
			c.below = compareTags(was.tags, is.tags)
		}
		if c.sign == "~" && typ == "" && len(c.below) == 0 {
			continue
		}
		all = append(all, c)
	}
	return mergeVersions(all)
}

// isPartOf reports whether a change follows from that of a version: all types of a version that is new or gone are.
func isPartOf(c change, old, new map[string]publicName) bool {
	if c.sign == "~" {
		return false
	}
	other := old
	if c.sign == "-" {
		other = new
	}
	for _, m := range other {
		if m.group == c.group && m.version == c.text {
			return false
		}
	}
	return true
}

func compareTags(old, new []tag) []change {
	var all []change
	for _, t := range new {
		i := slices.IndexFunc(old, func(o tag) bool { return o.text == t.text })
		switch {
		case i < 0:
			all = append(all, change{sign: "+", text: strings.TrimSpace(t.stage + " " + t.text)})
		case old[i].stage != t.stage:
			all = append(all, change{sign: "~", text: stage(old[i]) + " -> " + stage(t) + " " + t.text})
		}
	}
	for _, t := range old {
		if !slices.ContainsFunc(new, func(n tag) bool { return n.text == t.text }) {
			all = append(all, change{sign: "-", text: strings.TrimSpace(t.stage + " " + t.text)})
		}
	}
	return all
}

func stage(t tag) string { return cmp.Or(t.stage, "stable") }

// mergeVersions joins the versions of a group that have the same change. The newest one has the places.
func mergeVersions(all []change) []change {
	var merged []change
	for _, c := range all {
		i := slices.IndexFunc(merged, func(m change) bool {
			return m.sign == c.sign && m.group == c.group && m.name == c.name &&
				slices.EqualFunc(m.below, c.below, func(a, b change) bool { return a.sign == b.sign && a.text == b.text })
		})
		if i < 0 {
			merged = append(merged, c)
			continue
		}
		merged[i].text += ", " + c.text
	}
	slices.SortStableFunc(merged, func(a, b change) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.name, b.name)) })
	return merged
}

func (r *report) compareCode(old, new *release) {
	for _, id := range union(old.declarations, new.declarations) {
		was, is := old.declarations[id], new.declarations[id]
		c := codeChange{change: change{sign: "~"}}
		switch {
		case was == nil:
			c.sign, was = "+", &declaration{}
		case is == nil:
			c.sign, is = "-", &declaration{}
		}
		d := is
		if c.sign == "-" {
			d = was
		}
		c.group, c.name, c.old, c.new = groupOf(d.pkg), path.Base(d.pkg)+"."+d.name, was.place, is.place
		c.taken, c.added = diffLines(was.lines, is.lines)
		c.sites = compareSites(was.sites, is.sites)
		if len(c.taken)+len(c.added) == 0 {
			if marksOf(was.sites) != marksOf(is.sites) {
				r.marked = append(r.marked, c.name)
			}
			continue
		}
		if len(was.lines) > 1 && len(is.lines) > 1 && slices.Equal(was.lines[1:], is.lines[1:]) {
			r.resigned = append(r.resigned, c.name)
			continue
		}
		for _, kind := range slices.Concat(old.kinds[id], new.kinds[id]) {
			if !slices.Contains(c.kinds, kind) {
				c.kinds = append(c.kinds, kind)
			}
		}
		slices.Sort(c.kinds)
		r.code = append(r.code, c)
	}
	slices.SortStableFunc(r.code, func(a, b codeChange) int { return cmp.Compare(a.group, b.group) })
}

// groupOf returns the API group that a package belongs to, or its module.
func groupOf(pkg string) string {
	module, rest, _ := strings.Cut(pkg, "/pkg/")
	steps := strings.Split(rest, "/")
	switch {
	case module != "kubernetes":
		return "k8s.io/" + module
	case steps[0] != "api" && len(steps) > 1:
		return steps[1] // of pkg/apis or pkg/registry
	case len(steps) > 1 && groupsOfAPI[steps[1]] != "":
		return groupsOfAPI[steps[1]]
	}
	return "core"
}

// groupsOfAPI are the groups of the directories of pkg/api that are not about the core group.
var groupsOfAPI = map[string]string{
	"job": "batch", "resourceclaimspec": "resource", "resourceclaim": "resource", "storage": "storage", "scheduling": "scheduling",
}

func marksOf(sites []site) (n int) {
	for _, s := range sites {
		if s.isTagged {
			n++
		}
	}
	return n
}

// compareSites returns the error sites that are new and gone.
func compareSites(old, new []site) []change {
	var changes []change
	gone := slices.Clone(old)
	for _, s := range new {
		if i := slices.IndexFunc(gone, func(o site) bool { return o.text == s.text }); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			continue
		}
		changes = append(changes, change{sign: "+", name: s.text, text: by(s), new: place{"", s.line}})
	}
	for _, s := range gone {
		changes = append(changes, change{sign: "-", name: s.text, text: by(s), old: place{"", s.line}})
	}
	return changes
}

// by tells whether a tag reports the error of a site, or only the code that a person has to read.
func by(s site) string {
	if s.isTagged {
		return "by tag"
	}
	return "by hand"
}

// diffLines returns the lines that only one of two texts has, by their longest common subsequence.
func diffLines(old, new []string) (taken, added []string) {
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	common := make([][]int, len(old)+1) // lengths, from the ends
	for i := range common {
		common[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			if old[i] == new[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && j < len(new) && old[i] == new[j]:
			i, j = i+1, j+1
		case j == len(new) || i < len(old) && common[i+1][j] >= common[i][j+1]:
			taken = append(taken, old[i])
			i++
		default:
			added = append(added, new[j])
			j++
		}
	}
	return taken, added
}
