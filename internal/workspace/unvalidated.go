package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/releases"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/source"
)

// Unvalidated returns the kinds of the documents below the directory of the base that have no schema, with the number of
// these documents. Kinds of Kubernetes are left out.
func Unvalidated(ctx context.Context, b find.Base) (kinds []releases.Kind, documents int, err error) {
	result, err := Run(ctx, Options{
		Files:    find.Options{Base: b, Paths: []string{"."}, Charts: true},
		Settings: settings.Options{Lint: rule.Options{Profile: "schema"}, ProfileGiven: true},
		Check:    check.Options{UnknownKinds: check.Skip},
	})
	if err != nil {
		return nil, 0, err
	}
	for _, n := range result.Report.KindNotes {
		if n.IsSkipped && n.Group != "" && !catalog.IsKubernetesGroup(n.Group) {
			kinds = append(kinds, releases.Kind{Group: n.Group, Kind: n.Kind})
			documents += n.Documents
		}
	}
	return kinds, documents, nil
}

// These are limits of the search for versions. 29 public repositories have at most 8,024 entries, and directories that
// are 10 deep.
const (
	maxUsesEntries = 500_000
	maxUsesFile    = 1 << 20
	maxUsesDepth   = 64
)

// Releases returns the versions of known projects that the YAML files below the directory of the base state. It reads all
// files but hidden ones, also those that a configuration excludes.
func Releases(ctx context.Context, b find.Base) ([]releases.Use, error) {
	s := useSearch{base: b}
	err := s.directory(ctx, b.Dir, 0)
	return s.uses, err
}

type useSearch struct {
	base    find.Base
	entries int
	uses    []releases.Use
}

func (s *useSearch) directory(ctx context.Context, dir string, depth int) error {
	entries, err := s.base.Tree.ReadDir(dir)
	if err != nil || depth > maxUsesDepth {
		return nil // the check reports what cannot be read
	}
	for _, d := range entries {
		if s.entries++; s.entries > maxUsesEntries {
			return fmt.Errorf("there are more than %d files", maxUsesEntries)
		}
		path := filepath.Join(dir, d.Name())
		switch {
		case strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules":
		case d.IsDir():
			if err := errors.Join(ctx.Err(), s.directory(ctx, path, depth+1)); err != nil {
				return err
			}
		case d.Type().IsRegular():
			s.file(path)
		}
	}
	return nil
}

func (s *useSearch) file(path string) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
	default:
		return
	}
	if stat, err := s.base.Tree.Lstat(path); err != nil || stat.Size() > maxUsesFile {
		return
	}
	if text, err := s.base.Tree.Read(path, disk.Schemas); err == nil {
		s.uses = append(s.uses, releases.Find(&source.Source{Name: s.base.Name(path), Text: text})...)
	}
}
