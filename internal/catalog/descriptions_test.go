package catalog

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/schema"
)

// Each description is about a field that a type has, and short enough for a line of a page.
func TestDescriptionsAreShortAndOfFieldsThatExist(t *testing.T) {
	count := 0
	described := namesIn(descriptionsFile())
	for _, name := range described {
		typ, ok := typesFile().read(name)
		if !ok {
			t.Errorf("there is no type %s", name)
			continue
		}
		properties := typ.At("properties")
		fields, _ := descriptionsFile().read(name)
		for f := range fields.Children() {
			count++
			switch text := f.Text(); {
			case !properties.At(f.Key()).Valid() && f.Key() != ".":
				t.Errorf("%s has no field %s", name, f.Key())
			case utf8.RuneCountInString(text) > 100:
				t.Errorf("%s.%s: longer than 100 characters: %s", name, f.Key(), text)
			case !strings.HasSuffix(text, ".") || strings.TrimSpace(text) != text || strings.ToUpper(text[:1]) != text[:1]:
				t.Errorf("%s.%s: not a sentence: %q", name, f.Key(), text)
			}
		}
	}
	if count < 300 {
		t.Errorf("%d fields are described, want at least 300", count)
	}
	t.Logf("%d fields of %d types", count, len(described))
}

// namesIn returns the names of the parts of a file.
func namesIn(f types) (names []string) {
	for line := range strings.Lines(f.src.Text) {
		if name, ok := strings.CutSuffix(line, ":\n"); ok && line[0] != ' ' && line[0] != '#' {
			names = append(names, name)
		}
	}
	return names
}

func TestSearchFindsEachPart(t *testing.T) {
	for _, f := range []types{typesFile(), descriptionsFile()} {
		names := namesIn(f)
		if len(names) < 200 {
			t.Errorf("%s has %d parts", f.src.Name, len(names))
		}
		for _, name := range names {
			if n, ok := f.read(name); !ok || n.Len() == 0 || n.Key() != name {
				t.Errorf("%s: %s is not found; the parts must be sorted", f.src.Name, name)
			}
			if _, ok := f.read(name + "0"); ok {
				t.Errorf("%s: %s0 is found", f.src.Name, name)
			}
		}
		for _, name := range []string{"", "a", "zzz", "# What"} {
			if _, ok := f.read(name); ok {
				t.Errorf("%s: %q is found", f.src.Name, name)
			}
		}
	}
}

func TestFieldsOfKubernetesKindsAreDescribed(t *testing.T) {
	for _, e := range KubernetesKinds(0) {
		k, ok := e.Kind(e.Versions[len(e.Versions)-1])
		if !ok {
			t.Fatalf("%s has no schema", e.Name)
		}
		if k.Description() == "" {
			t.Errorf("%s has no description", e.Name)
		}
		k.Schema.Complete()
		for _, p := range k.Schema.Properties {
			if p.Name == "spec" && p.Text() == "" {
				t.Errorf("%s.spec has no description", e.Name)
			}
			if p.Name == "metadata" {
				describedMetadata(t, e.Name, p.Schema)
			}
		}
	}
}

func TestOtherKindsHaveTheDescriptionOfTheirSchema(t *testing.T) {
	k, _, _ := Embedded().Lookup("events.platform.io", "v1", "Event")
	if k.Description() == "" || k.Description() != k.Schema.Description {
		t.Errorf("have %q", k.Description())
	}
}

func describedMetadata(t *testing.T, kind string, s *schema.Schema) {
	t.Helper()
	for _, p := range s.Properties {
		if p.Text() == "" {
			t.Errorf("%s.metadata.%s has no description", kind, p.Name)
		}
	}
}
