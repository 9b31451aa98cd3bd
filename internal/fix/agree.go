package fix

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/workspace"
)

// A text of a template, of values or of a base may be written into several objects, and to several places in one. A fix of it
// is right only if each of them has the finding: the name of a policy may be wrong in a Pod and right in a ConfigMap.

// outputs are what charts and kustomizations have written, as far as it fits into memory. They are safe for concurrent use.
type outputs struct {
	mutex sync.Mutex
	texts map[outputKey]string
	total int
}

// outputKey identifies a text that was written.
type outputKey struct {
	unit, name, rendering string
	turn                  int
}

// maxOutputs is how many bytes are kept. The output of all charts of 29 public repositories has at most 80 MB for one.
const maxOutputs = 512 << 20

// add keeps a text.
func (o *outputs) add(w workspace.Written) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	key := outputKey{w.Unit, w.Name, w.Rendering, w.Turn}
	if o.texts == nil {
		o.texts = map[outputKey]string{}
	}
	o.total -= len(o.texts[key])
	if o.total += len(w.Text); o.total > maxOutputs {
		o.total -= len(w.Text)
		delete(o.texts, key)
		return
	}
	o.texts[key] = w.Text
}

// snapshot returns the texts so far.
func (o *outputs) snapshot() map[outputKey]string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return maps.Clone(o.texts)
}

// disagreeing returns the indexes of fixes that also change what has no finding: a value is another one where nothing was
// wrong with the old one. Values that are computed of others may change, such as hashes.
func disagreeing(before, after map[outputKey]string, fixed []candidate) map[int]bool {
	wrong := map[int]bool{}
	for key, was := range before {
		is, ok := after[key]
		if !ok || is == was {
			continue
		}
		a, b := &source.Source{Name: key.name, Text: was}, &source.Source{Name: key.name, Text: is}
		parts, others := slices.Collect(manifest.Parts(a)), slices.Collect(manifest.Parts(b))
		var x, y manifest.Tree
		for i := range min(len(parts), len(others)) {
			if was[parts[i].Span.Start:parts[i].Span.End] == is[others[i].Span.Start:others[i].Span.End] {
				continue
			}
			x.Reset(a)
			y.Reset(b)
			x.Read(a, parts[i])
			if y.Read(b, others[i]); x.Len() == 0 || y.Len() == 0 {
				continue
			}
			c := comparison{fixed: fixed, wrong: wrong, before: x.Root(), after: y.Root()}
			c.compare(x.Root(), y.Root())
		}
	}
	return wrong
}

// comparison compares two versions of an object.
type comparison struct {
	fixed         []candidate
	wrong         map[int]bool
	before, after manifest.Node // the roots
}

func (c *comparison) compare(before, after manifest.Node) {
	if before.Type() != after.Type() || before.Type() != manifest.Map && before.Type() != manifest.List {
		if !manifest.Equal(before, after) {
			c.addChange(before, after)
		}
		return
	}
	if before.Type() == manifest.List {
		x, y := before.First(), after.First()
		for ; x.Valid() && y.Valid(); x, y = x.Next(), y.Next() {
			c.compare(x, y)
		}
		return
	}
	for f := range before.Children() {
		if other, ok := after.Field(f.Key()); ok {
			c.compare(f, other)
		} else {
			c.addRenaming(f, after)
		}
	}
}

// addChange finds the fixes that may have changed a value at which there was no finding.
func (c *comparison) addChange(before, after manifest.Node) {
	path := before.Path()
	for i := range c.fixed {
		if c.covers(&c.fixed[i], path) {
			return
		}
	}
	for i := range c.fixed {
		for _, r := range c.fixed[i].replaced {
			if isMadeBy(before, after, r.old, r.new) {
				c.wrong[i] = true
			}
		}
	}
}

// addRenaming finds the fixes that have renamed a field at which there was no finding.
func (c *comparison) addRenaming(f, after manifest.Node) {
	path := f.Path()
	for i := range c.fixed {
		if c.covers(&c.fixed[i], path) {
			return
		}
	}
	for i := range c.fixed {
		for _, r := range c.fixed[i].replaced {
			if _, isRenamed := after.Field(withoutQuotes(r.new)); isRenamed && withoutQuotes(r.old) == f.Key() {
				c.wrong[i] = true
			}
		}
	}
}

func withoutQuotes(text string) string { return strings.Trim(text, `"'`) }

// covers reports whether a finding is about a value, or a field next to it.
func (c *comparison) covers(fix *candidate, path diag.Path) bool {
	v := fix.finding
	isOf := func(n manifest.Node) bool {
		return n.TextAt("apiVersion") == v.Object.APIVersion && n.TextAt("kind") == v.Object.Kind
	}
	if !isOf(c.before) && !isOf(c.after) {
		return false
	}
	if fix.edits[0].File == v.Place.File { // its own text, not a value
		return true
	}
	of := v.Path[:max(0, len(v.Path)-1)]
	return len(of) <= len(path) && slices.EqualFunc(of, path[:len(of)], func(a, b diag.Step) bool { return a.Name == b.Name })
}

// isMadeBy reports whether a value differs as an edit makes it: it has the new text in place of the old one, or another type.
func isMadeBy(before, after manifest.Node, was, is string) bool {
	a, b := withoutQuotes(before.Raw()), withoutQuotes(after.Raw())
	was, is = withoutQuotes(was), withoutQuotes(is)
	if a == b {
		return was == is && a == was
	}
	return was != "" && strings.ReplaceAll(a, was, is) == b
}
