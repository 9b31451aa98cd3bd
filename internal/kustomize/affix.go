package kustomize

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

// validName is what most names consist of.
var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9.:/-]*$`) })

// affix returns the prefix or suffix that makes a name invalid, or the name itself.
func (o *origins) affix(n manifest.Node, name found) (found, bool) {
	if n.Type() != manifest.String || name.node.Type() != manifest.String || name.node.Text() == "" {
		return found{}, false
	}
	first := name.node.Text()
	prefix, _ := o.affixes()
	before, after, ok := strings.Cut(n.Text(), first)
	if rest, hasPrefix := strings.CutPrefix(n.Text(), prefix+first); hasPrefix { // a prefix may contain the name
		before, after, ok = prefix, rest, true
	}
	if !ok {
		return found{}, false
	}
	if !validName().MatchString(first) {
		return name, true
	}
	for _, l := range o.chain {
		for _, x := range []struct{ field, text, in string }{
			{"namePrefix", l.fields.NamePrefix, before}, {"nameSuffix", l.fields.NameSuffix, after},
		} {
			if x.text == "" || !strings.Contains(x.in, x.text) {
				continue
			}
			if f := fieldOf(l.root, x.field); f.Key() != "" && (!validName().MatchString(x.text) || isLong(n.Text())) {
				return found{doc: &document{src: l.src}, node: f}, true
			}
		}
	}
	return name, true
}

// isLong reports whether a name is too long for most kinds.
func isLong(name string) bool { return len(name) > 63 }

// isFieldPath reports whether a field path of a replacement leads where steps lead. An item in brackets or an asterisk
// may be any item.
func isFieldPath(field string, steps []step) bool {
	var names []string
	for _, name := range brackets().Split(field, -1) {
		names = append(names, strings.FieldsFunc(name, func(r rune) bool { return r == '.' })...)
	}
	i := 0
	for _, s := range steps {
		if s.isItem() {
			continue
		}
		if i < len(names) && isIndex().MatchString(names[i]) {
			i++
		}
		if i < len(names) && names[i] == "*" {
			i++
		}
		if i >= len(names) || !strings.HasPrefix(s.key, names[i]) {
			return strings.Contains(field, "["+s.key+"]") && i >= len(names)
		}
		i++
	}
	return true
}

var (
	brackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]*\]`) })
	isIndex  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })
)
