package kustomize

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"slices"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	kustomizeresource "sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi"
)

// Built is the output of a kustomization.
type Built struct {
	repository *Repository
	root       *layer
	objects    []object
}

// object is an object of the output.
type object struct {
	text       string // as YAML
	kind, name string
	// file is the file that held the object first, or the kustomization that generated it.
	file        string
	isGenerated bool
}

// building serializes builds: the library keeps schemas in package variables, and writes warnings to the standard
// error of the process.
var building sync.Mutex

// Build builds the kustomization. Exactly one of the results is not nil.
func (k *Kustomization) Build() (*Built, *Fault) {
	objects, err := k.repository.build(k.layer)
	if err != nil {
		return nil, k.repository.blame(k.layer, err)
	}
	return &Built{k.repository, k.layer, objects}, nil
}

// build builds a layer.
func (r *Repository) build(l *layer) (objects []object, err error) {
	f, err := r.filesOf(l)
	if err != nil {
		return nil, err
	}
	m, err := run(f, path.Join("/", l.dir))
	if err != nil {
		return nil, err
	}
	for _, res := range m.Resources() {
		o, err := l.object(res)
		if err != nil {
			return nil, err
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

// object returns an object of the output, without the annotation that says where it comes from.
func (l *layer) object(res *kustomizeresource.Resource) (object, error) {
	o := object{file: l.file, kind: res.GetKind(), name: res.GetName()}
	origin, err := res.GetOrigin()
	if err != nil {
		return o, err
	}
	if origin != nil {
		name := origin.Path
		if o.isGenerated = name == ""; o.isGenerated {
			name = origin.ConfiguredIn
		}
		o.file = path.Join(l.dir, name)
	}
	if !slices.Contains(l.fields.BuildMetadata, types.OriginAnnotations) {
		if err := res.SetOrigin(nil); err != nil {
			return o, err
		}
	}
	text, err := res.AsYAML()
	o.text = string(text)
	return o, err
}
