//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Limits of a build. They are far above what repositories have: the largest of several hundred public kustomizations
// loads 30 kustomizations and 5 MB. Raise one if a public repository reaches half of it.
const (
	maxDepth  = 50        // nested kustomizations
	maxLoads  = 2_000     // kustomizations, each as often as it is loaded
	maxBytes  = 32 << 20  // of all files, each as often as it is loaded
	maxGrowth = 256 << 20 // of what kustomizations may add to the objects of others
	// Of what variables may add, if each has the largest value, and more for each loaded byte. The example of
	// kubeflow/manifests loads 11 MiB, and its variables may add 313 MiB.
	maxSubstituted     = 48 << 20
	substitutedForByte = 32
	maxCompared        = 10_000_000 // paths of what is copied, with those of what is written
	maxChained         = 10         // replacements of values that replacements set, or copies of copies; each may double a value
)

// cost is an estimate of what it takes to build a layer, with everything below it.
type cost struct{ loads, bytes, documents, growth int }

// costOf adds the costs of the bases of a layer to its own. Each field and patch of the layer may change each object.
func costOf(l *layer) cost {
	c := cost{loads: 1, bytes: l.bytes + len(l.src.Text), documents: l.documents}
	for _, b := range l.bases {
		c.loads = sum(c.loads, b.cost.loads)
		c.bytes = sum(c.bytes, b.cost.bytes)
		c.documents = sum(c.documents, b.cost.documents)
		c.growth = sum(c.growth, b.cost.growth)
	}
	own, patches := len(l.src.Text), l.patches
	if l.edit != nil {
		own, patches = own+len(l.edit.src.Text), slices.Concat(patches, l.edit.patches)
	}
	for _, p := range patches {
		if p.target != nil {
			own += len(p.doc.src.Text)
		}
	}
	for _, doc := range slices.Concat(l.configs, l.pluginPatches) {
		own += len(doc.src.Text)
	}
	if c.documents > 0 && own > math.MaxInt32/c.documents {
		own = math.MaxInt32 / c.documents
	}
	c.growth = sum(c.growth, c.documents*own)
	return c
}

// sum adds two costs without overflow.
func sum(a, b int) int { return min(a+b, math.MaxInt32) }

// tooLarge returns why a layer is not built. kustomize itself has no such limits.
func (l *layer) tooLarge() *Fault {
	references, largest := l.referenced()
	switch c := l.cost; {
	case references > 0 && largest > (maxSubstituted+substitutedForByte*c.bytes)/references:
		return l.limit("the variables may add too much to the objects")
	case l.chained() > maxChained:
		return l.limit(fmt.Sprintf("more than %d replacements copy values that replacements set", maxChained))
	case l.copies() > maxChained:
		return l.limit(fmt.Sprintf("more than %d operations copy what others have copied", maxChained))
	case c.loads > maxLoads:
		return l.limit(fmt.Sprintf("the build loads more than %d kustomizations", maxLoads))
	case c.bytes > maxBytes:
		return l.limit(fmt.Sprintf("the build loads more than %d MiB", maxBytes>>20))
	case c.growth > maxGrowth:
		return l.limit("the build may add too much to the objects")
	}
	return nil
}

// referenced returns about how often the files of a layer, and of everything below it, refer to variables that these
// declare, and how large the value of a variable may be.
func (l *layer) referenced() (count, largest int) {
	declared := map[string]bool{}
	l.each(func(l *layer) {
		for i := range l.fields.Vars {
			declared[oneSpace(l.fields.Vars[i].Name)] = true
		}
	})
	if len(declared) == 0 {
		return 0, 0
	}
	add := func(l *layer) {
		all := references{maps.Clone(l.references.named), l.references.hidden}
		all.add(l.src.Text)
		count, largest = sum(count, all.hidden), max(largest, l.largest, len(l.src.Text))
		for name, n := range all.named {
			if declared[name] {
				count = sum(count, n)
			}
		}
	}
	l.each(func(l *layer) {
		if add(l); l.edit != nil {
			add(l.edit)
		}
	})
	return count, largest
}

// references is how often texts refer to variables, as in $(NAME).
type references struct {
	named map[string]int
	// hidden are the places where a reference may be written in another way, and the references that are not in named.
	hidden int
}

// Limits of what references keep. Without them, different names in a long text would fill the memory. A kustomization
// of 29 public repositories has at most 8 vars.
const (
	maxNames      = 10_000
	maxNameLength = 100
)

// add counts the references in a text. Each is counted from its start on, because a text may have a start without an
// end.
func (r *references) add(text string) {
	if r.named == nil {
		r.named = map[string]int{}
	}
	for _, escape := range []string{`\x`, `\u`, `\U`, "\\\n", "\\\r"} {
		r.hidden += strings.Count(text, escape)
	}
	for {
		start := strings.Index(text, "$(")
		if start < 0 {
			return
		}
		text = text[start+2:]
		end := strings.IndexByte(text[:min(len(text), 2*maxNameLength)], ')')
		name := oneSpace(text[:max(end, 0)])
		if _, known := r.named[name]; end < 0 || len(name) > maxNameLength || !known && len(r.named) == maxNames {
			r.hidden++
			continue
		}
		r.named[name]++
	}
}

// oneSpace makes one space of all white space between words, which may be a line break in a value.
func oneSpace(name string) string { return strings.Join(strings.Fields(name), " ") }

// documentsIn returns about how many objects a text has, or more.
func documentsIn(text string) int { return strings.Count(text, "kind") }

// chained returns the number of replacements whose source may be set by a replacement. Only the paths of fields are
// compared.
func (l *layer) chained() int {
	var sources, targets [][]string
	l.each(func(l *layer) {
		for _, r := range l.replacements {
			sources = append(sources, fixedSteps(r.source))
			for _, target := range r.targets {
				targets = append(targets, fixedSteps(target))
			}
		}
	})
	return overlapping(sources, targets)
}

// overlapping returns the number of sources of which a target is a part, or that are part of a target.
func overlapping(sources, targets [][]string) (count int) {
	if len(targets) > 0 && len(sources) > maxCompared/len(targets) {
		return len(sources)
	}
	for _, source := range sources {
		overlaps := func(target []string) bool {
			both := min(len(source), len(target))
			return slices.Equal(source[:both], target[:both])
		}
		if slices.ContainsFunc(targets, overlaps) {
			count++
		}
	}
	return count
}

// fixedSteps returns the steps of a field path before the first one that may lead to several fields or may be written
// in another way, such as an index, a wildcard or a selection.
func fixedSteps(path string) []string {
	steps := strings.Split(strings.TrimPrefix(path, "."), ".")
	for i, step := range steps {
		if !fixedStep().MatchString(step) {
			return steps[:i]
		}
	}
	return steps
}

var fixedStep = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_/-]*$`) })

// replacement has the paths of the fields of a replacement.
type replacement struct {
	source  string
	targets []string
}

// nameField is the field that a replacement copies or sets if it names no other
// (sigs.k8s.io/kustomize/api/types.DefaultReplacementFieldPath).
const nameField = types.DefaultReplacementFieldPath

// replacementsIn returns the replacements in a node: one, or a list.
func replacementsIn(n manifest.Node) (all []replacement) {
	if n.Type() == manifest.List {
		for item := range n.Children() {
			all = append(all, replacementsIn(item)...)
		}
		return all
	}
	r := replacement{source: cmp.Or(textAt(fieldOf(n, "source"), "fieldPath"), nameField)}
	for target := range fieldOf(n, "targets").Children() {
		paths := fieldOf(target, "fieldPaths")
		if paths == target || paths.Len() == 0 { // it names none
			r.targets = append(r.targets, nameField)
			continue
		}
		for path := range paths.Children() {
			r.targets = append(r.targets, path.Text())
		}
	}
	return append(all, r)
}
