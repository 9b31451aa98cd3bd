//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
)

// blame returns the fault of a layer that cannot be built. The reason is in the innermost layer that cannot be built
// alone.
func (r *Repository) blame(l *layer, err error) *Fault {
	for _, b := range l.bases {
		if b.isComponent {
			continue
		}
		if _, inner := r.build(b.layer); inner != nil {
			return r.blame(b.layer, inner)
		}
	}
	return l.fault(place(r.faultyItem(l)), messageOf(err))
}

// Limits of the search for what makes a build fail: the number of builds, and the bytes of files in each.
const (
	mostTrials  = 30
	trialsBytes = 1 << 20
)

// fields are those of a kustomization.
type fields = types.Kustomization

// list is a list of a layer whose items may make a build fail.
type list struct {
	name   string
	size   int
	remove func(k *fields, from, to int)
}

// newList returns a list, given where a kustomization holds it.
func newList[T any](name string, k *fields, of func(*fields) *[]T) list {
	return list{name, len(*of(k)), func(k *fields, from, to int) {
		*of(k) = slices.Delete(slices.Clone(*of(k)), from, to)
	}}
}

func listsOf(k *fields) []list {
	return []list{
		newList("patches", k, func(k *fields) *[]types.Patch { return &k.Patches }),
		newList("patchesStrategicMerge", k, func(k *fields) *[]types.PatchStrategicMerge {
			return &k.PatchesStrategicMerge
		}),
		newList("patchesJson6902", k, func(k *fields) *[]types.Patch { return &k.PatchesJson6902 }),
		newList("replacements", k, func(k *fields) *[]types.ReplacementField { return &k.Replacements }),
		newList("components", k, func(k *fields) *[]string { return &k.Components }),
		newList("configMapGenerator", k, func(k *fields) *[]types.ConfigMapArgs { return &k.ConfigMapGenerator }),
		newList("secretGenerator", k, func(k *fields) *[]types.SecretArgs { return &k.SecretGenerator }),
		newList("transformers", k, func(k *fields) *[]string { return &k.Transformers }),
		newList("resources", k, func(k *fields) *[]string { return &k.Resources }),
	}
}

// faultyItem returns the item of a layer without which it can be built, or the whole layer. For each list, it first
// tries to build the layer without the list.
func (r *Repository) faultyItem(l *layer) manifest.Node {
	trials := mostTrials
	if l.cost.bytes > trialsBytes {
		trials = 0
	}
	builds := func(x list, from, to int) bool {
		if trials--; trials < 0 {
			return false
		}
		without := *l
		x.remove(&without.fields, from, to)
		_, err := r.build(&without)
		return err == nil
	}
	for _, x := range listsOf(&l.fields) {
		if x.size == 0 || x.name != "resources" && !builds(x, 0, x.size) {
			continue
		}
		for i := x.size - 1; i >= 0; i-- {
			if builds(x, i, i+1) {
				return l.at(x.name, i)
			}
		}
	}
	return l.root
}

// triedAsDirectory begins what the library adds if a file cannot be added: it takes the file for a directory, which
// hides why (KustTarget.accumulateResources).
const triedAsDirectory = "must build at directory: "

// messageOf returns the last reason in an error of the library. Each kustomization around it adds what it did.
func messageOf(err error) string {
	text := causeOf(err)
	text, _, _ = strings.Cut(text, "': "+triedAsDirectory)
	if i := strings.LastIndex(text, "': "); i >= 0 {
		text = text[i+len("': "):]
	}
	text, _, _ = strings.Cut(text, ": no matches for Id")
	return text
}
