package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadSeeds returns the documents of the YAML files in a directory.
func ReadSeeds(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no YAML files in %s", dir)
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

// Only drops the seeds of other kinds. It reports whether any are left.
func (m *Mutator) Only(kind string) bool {
	m.seeds = slices.DeleteFunc(m.seeds, func(s seed) bool { return !strings.HasSuffix(s.kind, " "+kind) && s.kind != kind })
	m.sortKinds()
	return len(m.seeds) > 0
}
