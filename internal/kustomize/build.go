package kustomize

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	// Already kyaml links net/http, TLS and gnostic, so no part of the library is without them. Without this package the
	// program has 28.5 MB instead of 33.1 and starts as fast, because package fetch needs net/http, too. So there is no
	// build tag that leaves it out; that is worth another look if there is a program for WebAssembly.
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	kustomizeresource "sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// Built is the output of a kustomization.
type Built struct {
	repository *Repository
	root       *layer
	objects    []object
	// before are the objects that had variables, before these were replaced.
	before []object
	trials *trials
	until  context.Context // nil if it does not end
}

// BeforeVariables yields each object of the output that had variables, before these were replaced.
func (b *Built) BeforeVariables() iter.Seq[*Built] {
	return func(yield func(*Built) bool) {
		for i := range b.before {
			if !yield(&Built{repository: b.repository, root: b.root, objects: b.before[i : i+1], trials: b.trials}) {
				return
			}
		}
	}
}

// Has reports whether the text of an object has something.
func (b *Built) Has(something func(text string) bool) bool {
	return slices.ContainsFunc(b.objects, func(o object) bool { return something(o.text) })
}

// From returns how many objects of the output each file held first. It returns false if that is not known of an
// object.
func (b *Built) From() (counts map[string]int, ok bool) {
	counts = map[string]int{}
	for i := range b.objects {
		if b.objects[i].file == "" {
			return nil, false
		}
		counts[b.objects[i].file]++
	}
	return counts, true
}

// object is an object of the output.
type object struct {
	text       string // as YAML
	kind, name string
	// file is the file that held the object first, or the kustomization that generated it; "" if that is not known.
	file        string
	isGenerated bool
}

// building serializes builds: the library keeps schemas in package variables, and writes warnings to the standard
// error of the process.
var building sync.Mutex

// Build builds the kustomization. If it names what kindvet does not fetch, it is built without that if possible, and
// the fault says so. Otherwise exactly one of the results is not nil.
func (k *Kustomization) Build() (*Built, *Fault) {
	absent := k.absent()
	objects, err := k.repository.take(k.layer)
	if err != nil {
		l, err := k.repository.failing(k.layer, err)
		if fault := l.explains(err); fault != nil {
			return nil, fault
		}
		return nil, k.repository.blame(l, err)
	}
	built := &Built{
		repository: k.repository, root: k.layer, objects: objects,
		trials: &trials{left: MostTrials, known: map[valueKey][]object{}},
	}
	for i := range objects {
		if k.substitute != nil && strings.Contains(objects[i].text, "${") {
			built.before = append(built.before, objects[i])
			objects[i].text = k.substitute(objects[i].text)
		}
	}
	return built, absent
}

// build builds a layer. If the names of the objects tell where they are written, the library need not do so.
func (r *Repository) build(l *layer) ([]object, error) {
	if l.annotations() < dearAnnotations {
		return r.buildAnnotated(l, true)
	}
	found, ok := r.names(l)
	if !ok {
		return r.buildAnnotated(l, true)
	}
	objects, err := r.buildAnnotated(l, false)
	for i := range objects {
		if !objects[i].locate(found) {
			return r.buildAnnotated(l, true)
		}
	}
	return objects, err
}

// buildAnnotated builds a layer. If isAnnotated is set, the objects know where they are written.
func (r *Repository) buildAnnotated(l *layer, isAnnotated bool) (objects []object, err error) {
	f, err := r.filesOf(l, isAnnotated)
	if err != nil {
		return nil, err
	}
	objects, err = f.build(l)
	if err != nil && strings.Contains(err.Error(), r.word) {
		f.slim = nil // a schema is where it was not expected
		return f.build(l)
	}
	return objects, err
}

// build builds a layer.
func (f *files) build(l *layer) (objects []object, err error) {
	m, err := run(f, path.Join("/", l.dir))
	if err != nil {
		return nil, err
	}
	for _, res := range m.Resources() {
		o, err := l.object(res)
		if err != nil {
			return nil, err
		}
		if f.slim != nil {
			var ok bool
			if o.text, ok = restore(o.text, f.word, f.schemas); !ok {
				return nil, errors.New(f.word)
			}
		}
		objects = append(objects, o)
	}
	return objects, nil
}

// run calls the library. A panic of the library, for example about an invalid schema, is an error.
func run(f *files, dir string) (m resmap.ResMap, err error) {
	building.Lock()
	defer building.Unlock()
	stderr, logged := os.Stderr, log.Writer()
	os.Stderr = nil
	log.SetOutput(io.Discard)
	defer func() {
		os.Stderr = stderr
		log.SetOutput(logged)
		if reason := recover(); reason != nil {
			err = errors.New(fmt.Sprint(reason))
		}
		if openapi.GetSchemaVersion() != kubernetesapi.DefaultOpenAPI {
			openapi.ResetOpenAPI()
		}
	}()
	return krusty.MakeKustomizer(&krusty.Options{
		Reorder:          krusty.ReorderOptionUnspecified,
		LoadRestrictions: types.LoadRestrictionsNone,
		PluginConfig:     types.DisabledPluginConfig(),
	}).Run(f, dir)
}

// annotate makes the annotation of an object, which says where it comes from, that of a build without this package.
func (l *layer) annotate(res *kustomizeresource.Resource, origin *kustomizeresource.Origin) error {
	switch {
	case !slices.Contains(l.fields.BuildMetadata, types.OriginAnnotations):
		return res.SetOrigin(nil)
	case origin == nil || !inflatedFile(origin.Path):
		return nil
	}
	configured := path.Dir(path.Dir(origin.Path))
	l.each(func(of *layer) {
		if of.inflations[path.Join(l.dir, origin.Path)] != nil {
			configured = path.Join(configured, path.Base(of.file))
		}
	})
	by := kyaml.ResourceIdentifier{TypeMeta: kyaml.TypeMeta{APIVersion: "builtin", Kind: inflationGenerator}}
	return res.SetOrigin(&kustomizeresource.Origin{ConfiguredIn: configured, ConfiguredBy: by})
}

// object returns an object of the output, without the annotation that says where it comes from.
func (l *layer) object(res *kustomizeresource.Resource) (object, error) {
	o := object{kind: res.GetKind(), name: res.GetName()}
	origin, err := res.GetOrigin()
	if err != nil {
		return o, err
	}
	switch {
	case origin == nil:
	case origin.Path != "":
		o.file = path.Join(l.dir, origin.Path)
	// If the annotation was lost, the next transformer is recorded.
	case strings.HasSuffix(origin.ConfiguredBy.Kind, "Generator"):
		o.file, o.isGenerated = path.Join(l.dir, origin.ConfiguredIn), true
	}
	if err := l.annotate(res, origin); err != nil {
		return o, err
	}
	text, err := res.AsYAML()
	o.text = string(text)
	return o, err
}
