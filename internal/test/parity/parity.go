// Package parity holds verdicts of upstream's own code and compares ours with them.
//
// Upstream's code in the nested module internal/oracle records the verdicts. The comparison needs nothing from that
// module.
//
// The module internal/oracle/builtin must not need kindvet, because each version of Kubernetes needs other versions of the
// modules that both need. So case.go, differences.go, records.go and sites.go import only the standard library, and that
// module has symbolic links to them: it can be built as it is, which files that a command copies would not allow.
package parity

import (
	"fmt"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Registry returns the kinds of one definition. The violations are those of the definition itself.
func Registry(definition string) (*catalog.Catalog, []diag.Violation) {
	kinds, _, violations := catalog.ReadCRDs(&source.Source{Name: "definition.yaml", Text: definition})
	for _, e := range kinds {
		violations = append(violations, e.Violations()...)
	}
	return catalog.New(kinds), violations
}

// Check returns our violations of a request.
func Check(r *catalog.Catalog, q Request) []diag.Violation {
	name := "object.yaml"
	if q.JSON {
		name = "object.json"
	}
	o := check.Options{Catalog: r, UnknownKinds: check.Fail}
	if q.Old != "" {
		o.Old = check.NewOldObjects()
		o.Old.Add(name, q.Old)
	}
	return check.New(o).Check(&check.Memory{}, &source.Source{Name: name, Text: q.New}, check.File{}).Violations
}

// Cases returns all recorded requests of the project with this root, sorted by file name.
func Cases(root string) ([]Case, error) {
	dir := filepath.Join(root, "internal", "oracle", "testdata")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil,
			fmt.Errorf("no recorded cases in %s: they are in the nested module internal/oracle; clone the repository", dir)
	}
	var all []Case
	for _, file := range files {
		cases, err := ReadCases(file)
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	return all, nil
}
