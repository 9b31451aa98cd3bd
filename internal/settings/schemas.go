package settings

import (
	"fmt"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/store"
)

// loadCatalog makes a catalog of the kinds of Kubernetes, the built-in kinds under the platform's names, the
// kinds of a store, which may be nil, and the CRDs that the user names. If two kinds have the same name, the last one
// counts.
func loadCatalog(
	b find.Base, server catalog.Server, ofServer catalog.Source, in *store.Store, schemas []find.Auxiliary, o *outside, vocabulary names.Vocabulary,
) (*catalog.Catalog, []diag.Violation, error) {
	renamed, faults := catalog.Renamed(catalog.BuiltInKinds(), vocabulary)
	if len(faults) > 0 {
		return nil, nil, config.NewError(faults)
	}
	if len(schemas) == 0 && in == nil && vocabulary.IsZero() && server == (catalog.Server{Minor: catalog.NewestKubernetes}) {
		return catalog.Embedded(), nil, nil
	}
	stored, ofStore, err := loadStore(b, in)
	if err != nil {
		return nil, nil, err
	}
	defined, violations, err := loadCRDs(b, schemas, o)
	if err != nil {
		return nil, nil, err
	}
	return catalog.For(server, ofServer, catalog.BuiltInKinds(), renamed, stored, defined),
		append(ofStore, violations...), nil
}

// loadStore reads the kinds of a store. Each of its files must match the lock file.
func loadStore(b find.Base, in *store.Store) (kinds catalog.Source, violations []diag.Violation, err error) {
	if in == nil {
		return nil, nil, nil
	}
	noted := *in
	noted.Tree = b.Tree
	content, err := noted.Load()
	if err != nil {
		return nil, nil, err
	}
	files := content.Files
	for _, from := range content.Lock.Sources {
		for range from.Files {
			k, vs := catalog.ReadStored(files[0], catalog.Copy{Name: from.Name, Source: from.String(), IsNewest: from.IsNewest})
			kinds, violations, files = append(kinds, k...), append(violations, vs...), files[1:]
		}
	}
	return kinds, violations, nil
}

// loadCRDs finds the CRDs in files and directories.
func loadCRDs(b find.Base, schemas []find.Auxiliary, o *outside) (kinds catalog.Source, violations []diag.Violation,
	err error) {
	found, seen := 0, map[string]bool{}
	for _, a := range schemas {
		b := o.base(b, a)
		files, failures := find.Schemas(b, a.Path)
		if len(failures) > 0 {
			return nil, nil, o.wrap("schemas", a, failures[0])
		}
		for _, f := range files {
			if seen[filepath.Clean(f.Name)] {
				continue
			}
			seen[filepath.Clean(f.Name)] = true
			src, err := f.Source(b.Tree, disk.Schemas, a.Private)
			if err != nil {
				return nil, nil, o.wrap("schemas", a, err)
			}
			k, n, vs := catalog.ReadCRDs(src)
			kinds, violations = append(kinds, k...), append(violations, vs...)
			found += n
		}
	}
	if found == 0 && len(schemas) > 0 {
		return nil, nil, fmt.Errorf("schemas: no CustomResourceDefinition in %s", schemas[0].Path)
	}
	return kinds, violations, nil
}
