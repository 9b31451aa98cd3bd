//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
)

// failing returns the innermost layer that cannot be built alone, and why.
func (r *Repository) failing(l *layer, err error) (*layer, error) {
	for _, b := range l.bases {
		if b.isComponent { // it cannot be built alone, but its bases can
			if of, inner := r.failing(b.layer, nil); inner != nil {
				return of, inner
			}
			continue
		}
		if inner := r.builds(b.layer); inner != nil {
			return r.failing(b.layer, inner)
		}
	}
	return l, err
}

// earlier is the result of a build that may be needed again.
type earlier struct {
	err error
	// objects are those of a build that succeeded, until they are taken; nil if they are too large.
	objects []object
}

// mostKeptBytes is the maximum number of bytes of objects that are kept for later. What is not kept is built again.
const mostKeptBytes = 16 << 20

// builds returns why a layer cannot be built alone. The caller of a kustomization that cannot be built builds its bases
// next, so the result is kept for [Repository.take].
func (r *Repository) builds(l *layer) error {
	known, ok := r.outcomes[l]
	if ok {
		return known.err
	}
	objects, err := r.build(l)
	size := 0
	for i := range objects {
		size += len(objects[i].text)
	}
	if r.kept += size; r.kept > mostKeptBytes {
		r.kept, objects = r.kept-size, nil
	}
	r.outcomes[l] = earlier{err, objects}
	return err
}

// take builds a layer, or returns the result of builds.
func (r *Repository) take(l *layer) ([]object, error) {
	known, ok := r.outcomes[l]
	if !ok || known.err == nil && known.objects == nil {
		return r.build(l)
	}
	for i := range known.objects {
		r.kept -= len(known.objects[i].text)
	}
	r.outcomes[l] = earlier{err: known.err} // the caller may change the objects
	return known.objects, known.err
}

// blame returns the fault of a layer that cannot be built, whose bases can. Each of its items that makes the build fail
// is left out in turn, to find further ones.
func (r *Repository) blame(l *layer, err error) *Fault {
	s := &faultSearch{repository: r, trials: mostTrials}
	if l.cost.bytes > trialsBytes {
		s.trials = 0
	}
	var fault *Fault
	for rest := l; err != nil; {
		message := messageOf(err)
		of, item, without := s.item(rest, message, s.build)
		v := invalid(message, place(item.node))
		if strings.Contains(message, notStrings) {
			v = r.keyFault(of, item, v)
		}
		if message == ambiguousReference {
			v.Message = r.ambiguous(l, err)
		}
		if fault == nil {
			fault = of.fault(v.Place, v.Message)
			fault.Violation = v
		} else {
			fault.Others = append(fault.Others, v)
		}
		if without == nil {
			break
		}
		if err = s.build(without); err != nil && item.mayCause(err) {
			break
		}
		rest = without
	}
	return fault
}

// aboutAbsence are parts of the errors of the library about an object or a field that does not exist.
var aboutAbsence = []string{
	"no matches for ", "no resource matches ", "nothing selected by ", "unable to find ", "cannot merge or replace",
	" is missing for replacement source ", "not found", "cannot find ",
	"does not match a config with ", "kustomization.yaml is empty",
}

// explains returns the fault that a layer is built without something, if it may be why the layer cannot be built: the
// error is about something that does not exist, and what is left out may add it. Transformers come after all else in a
// layer, so they only matter to the layers above it.
func (l *layer) explains(err error) (fault *Fault) {
	text := err.Error()
	if !slices.ContainsFunc(aboutAbsence, func(part string) bool { return strings.Contains(text, part) }) {
		return nil
	}
	l.each(func(of *layer) {
		for _, absent := range of.absent {
			if fault == nil && (absent.adds || of != l) {
				copied := *absent
				copied.Violation.Message = absent.reason + notBuilt
				fault = &copied
			}
		}
	})
	return fault
}

// Limits of the search for what makes a build fail: the number of builds, and the bytes of files in each. Each omits
// something and builds the rest again. Raise a limit if builds of public repositories that fail often get no place.
const (
	mostTrials  = 60
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
		newList("replicas", k, func(k *fields) *[]types.Replica { return &k.Replicas }),
		newList("vars", k, func(k *fields) *[]types.Var { return &k.Vars }),
		newList(generators, k, func(k *fields) *[]string { return &k.Generators }),
		newList(transformers, k, func(k *fields) *[]string { return &k.Transformers }),
		newList("labels", k, func(k *fields) *[]types.Label { return &k.Labels }),
		newList("configurations", k, func(k *fields) *[]string { return &k.Configurations }),
		newList("crds", k, func(k *fields) *[]string { return &k.Crds }),
		newList("resources", k, func(k *fields) *[]string { return &k.Resources }),
	}
}

// faultSearch searches the items that make a build fail.
type faultSearch struct {
	repository *Repository
	trials     int // that are left
}

// faulty is an item of a list of a layer, or the whole layer.
type faulty struct {
	list string
	node manifest.Node
}

// mayCause reports whether a build may fail because the item has been left out.
func (s faulty) mayCause(err error) bool {
	about := append([]string{"missing", "nonexistent", "does not apply", "unable to find field"}, aboutAbsence...)
	if strings.HasPrefix(s.list, "patches") { // without a patch, all objects remain
		about = slices.DeleteFunc(about, func(part string) bool { return strings.HasPrefix(part, "no ") })
	}
	return slices.ContainsFunc(about, func(part string) bool { return strings.Contains(err.Error(), part) })
}

func (s *faultSearch) build(l *layer) error {
	_, err := s.repository.build(l)
	return err
}

// item returns the item of a layer, or of a component of it, that makes a build fail with a message, and the layer
// without it. It is the whole layer, and without is nil, if there is no such item. build builds the kustomization with
// another layer in place of l.
func (s *faultSearch) item(l *layer, message string, build func(*layer) error) (of *layer, item faulty, without *layer) {
	if of, item, without = s.itemAmong(l, l, message, build); without != nil {
		return of, item, without
	}
	// Items of several lists have faults with the same message. Of the lists up to the one that is searched, the build
	// fails.
	rest := l
	for _, x := range listsOf(&l.fields) {
		if x.size == 0 || x.name == "resources" {
			continue
		}
		next := rest.without(x, 0, x.size)
		if !s.fails(next, message, build) {
			return s.itemAmong(l, rest, message, build)
		}
		rest = next
	}
	return l, faulty{node: l.root}, nil
}

// fails reports whether a build fails with a message, or no trials are left.
func (s *faultSearch) fails(l *layer, message string, build func(*layer) error) bool {
	if s.trials--; s.trials < 0 {
		return true
	}
	err := build(l)
	return err != nil && messageOf(err) == message
}

// itemAmong is like item, and only looks for a list without which some items of the layer do not make the build fail.
func (s *faultSearch) itemAmong(l, some *layer, message string, build func(*layer) error) (*layer, faulty, *layer) {
	fails := func(l *layer) bool { return s.fails(l, message, build) }
	for _, x := range listsOf(&some.fields) {
		if x.size == 0 || x.name != "resources" && fails(some.without(x, 0, x.size)) {
			continue
		}
		// Of the items up to the one that is searched, the build fails.
		i := sort.Search(x.size-1, func(i int) bool { return fails(some.without(x, i+1, x.size)) })
		if s.trials < 0 || fails(some.without(x, i, x.size)) {
			continue
		}
		item, without := faulty{x.name, l.keptAt(x.name, i)}, l.without(x, i, i+1)
		if x.name != "components" {
			return l, item, without
		}
		return s.component(l, some.without(x, i+1, x.size), item, without, message, build)
	}
	return l, faulty{node: l.root}, nil
}

// component is like itemAmong, for a component of a layer: the last of some.
func (s *faultSearch) component(
	l, some *layer, item faulty, without *layer, message string, build func(*layer) error,
) (*layer, faulty, *layer) {
	i := slices.IndexFunc(l.bases, func(b base) bool { return b.isComponent && b.node == item.node })
	if i < 0 {
		return l, item, without
	}
	with := func(l, component *layer) *layer {
		other := *l
		other.bases = slices.Clone(l.bases)
		other.bases[i].layer = component
		return &other
	}
	of, inner, rest := s.item(l.bases[i].layer, message, func(c *layer) error { return build(with(some, c)) })
	if rest != nil {
		without = with(l, rest)
	}
	return of, inner, without
}

// without returns the layer without some items of a list.
func (l *layer) without(x list, from, to int) *layer {
	other := *l
	x.remove(&other.fields, from, to)
	left := make([]manifest.Node, x.size)
	for i := range left {
		left[i] = l.keptAt(x.name, i)
	}
	other.left = maps.Clone(l.left)
	if other.left == nil {
		other.left = map[string][]manifest.Node{}
	}
	other.left[x.name] = slices.Delete(left, from, to)
	return &other
}
