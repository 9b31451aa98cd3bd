package validations_test

import (
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/celtest"
	"github.com/kindvet/kindvet/internal/test/parity"
	"github.com/kindvet/kindvet/internal/validations"
)

// subject is an object with its rules and, if it has one, its state before the update.
type subject struct {
	rules       *validations.Rules
	kind        *catalog.Kind // nil for the expressions in the tables
	object, old any
}

// FuzzClosures picks an object, changes some of its values and fields, and runs its rules with closures and with
// cel-go.
func FuzzClosures(f *testing.F) {
	subjects := slices.Concat(expressedSubjects(f), kindSubjects(f), recordedSubjects(f))
	for i := range 64 {
		f.Add(uint64(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, which, seed uint64) {
		s := subjects[which%uint64(len(subjects))]
		if which%3 > 0 { // the expressions are few but cover the most
			s = subjects[which%3]
		}
		r := rand.New(rand.NewPCG(seed, which))
		n := celtest.Redraw(r, s.object)
		var old manifest.Node
		if s.old != nil && r.IntN(8) > 0 {
			old = celtest.Redraw(r, s.old)
		}
		if s.kind != nil && r.IntN(4) > 0 { // otherwise unchanged, including what the server would reject
			if old.Valid() {
				s.kind.Prepare(old)
			}
			s.kind.Check(n, old)
		}
		y := &celtest.Tally{}
		s.rules.Compare(y, n, old)
		for _, d := range y.Different {
			t.Error(d)
		}
	})
}

func expressedSubjects(f *testing.F) (list []subject) {
	rules, text, before := validations.Expressed(f)
	for _, r := range rules {
		list = append(list, subject{rules: r, object: celtest.Decode(text), old: celtest.Decode(before)})
	}
	return list
}

func kindSubjects(f *testing.F) (list []subject) {
	r := catalog.Embedded()
	err := filepath.WalkDir(filepath.Join(root, "testdata", "kinds"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".yaml" {
			list = addSubject(list, r, f, readFile(f, path), "")
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return list
}

// recordedSubjects returns every twentieth recorded case.
func recordedSubjects(f *testing.F) (list []subject) {
	cases, err := parity.Cases(root)
	if err != nil {
		f.Fatal(err)
	}
	registries := map[string]*catalog.Catalog{}
	for i, c := range cases {
		if i%20 > 0 {
			continue
		}
		if registries[c.Schema] == nil {
			registries[c.Schema], _ = parity.Registry(readFile(f, filepath.Join(root, filepath.FromSlash(c.Schema))))
		}
		list = addSubject(list, registries[c.Schema], f, c.New, c.Old)
	}
	return list
}

func addSubject(list []subject, r *catalog.Catalog, f *testing.F, text, old string) []subject {
	k, ok := kindOf(r, celtest.Object("a.yaml", text))
	if !ok || !k.Schema.HasRules() {
		return list
	}
	s := subject{rules: k.Rules, kind: k, object: celtest.Decode(text)}
	if old != "" {
		s.old = celtest.Decode(old)
	} else {
		s.old = s.object
	}
	return append(list, s)
}
