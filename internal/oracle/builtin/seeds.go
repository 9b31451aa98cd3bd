package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	sigsyaml "sigs.k8s.io/yaml"
)

// ReadSeeds returns the documents of a YAML file, or of the YAML files in a directory.
func ReadSeeds(path string) ([]string, error) {
	files := []string{path}
	if !strings.HasSuffix(path, ".yaml") {
		var err error
		if files, err = filepath.Glob(filepath.Join(path, "*.yaml")); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no YAML files in %s", path)
	}
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, strings.Split(string(text), "\n---\n")...)
	}
	return all, nil
}

// Start returns a server and a mutator of the objects in a directory, which draws from start. If kind is not empty, it
// draws only objects of that kind.
func Start(dir string, start uint64, kind string) (*Server, *Mutator, error) {
	server, err := New()
	if err != nil {
		return nil, nil, err
	}
	seeds, err := ReadSeeds(dir)
	if err != nil {
		return nil, nil, err
	}
	m, err := NewMutator(seeds, start)
	if err == nil && kind != "" && !m.Only(kind) {
		err = fmt.Errorf("no seed is a %s", kind)
	}
	return server, m, err
}

// KindOf returns the apiVersion and kind of an object, such as "apps/v1 Deployment". It returns "" if it has none.
func KindOf(text string) string {
	var object struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := sigsyaml.Unmarshal([]byte(text), &object); err != nil || object.Kind == "" {
		return ""
	}
	return object.APIVersion + " " + object.Kind
}

// Only drops the seeds of other kinds. It reports whether any are left.
func (m *Mutator) Only(kind string) bool {
	m.seeds = slices.DeleteFunc(m.seeds, func(s seed) bool {
		return !strings.HasSuffix(s.kind, " "+kind) && s.kind != kind
	})
	m.sortKinds()
	return len(m.seeds) > 0
}
