package upstream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
)

// definition is a schema of the OpenAPI document of a version.
type definition struct {
	Ref                  string `json:"$ref"`
	Properties           map[string]*definition
	Items                *definition
	AdditionalProperties *definition
	Kinds                []struct{ Group, Version, Kind string } `json:"x-kubernetes-group-version-kind"`
}

// innermost returns the schema of the items of a list or a map.
func (d *definition) innermost() *definition {
	switch {
	case d.Items != nil:
		return d.Items.innermost()
	case d.AdditionalProperties != nil:
		return d.AdditionalProperties.innermost()
	}
	return d
}

// The published OpenAPI document of a version is not what the files are generated from.
func TestFieldsAreThoseOfThePublishedOpenAPI(t *testing.T) {
	types, kinds := readYAML(t, "types.yaml"), servedKinds(t)
	for _, r := range Releases {
		definitions := published(t, r)
		byKind := map[string]*definition{}
		for _, d := range definitions {
			for _, k := range d.Kinds {
				byKind[strings.Join([]string{k.Group, k.Version, k.Kind}, "/")] = d
			}
		}
		c := comparison{t: t, minor: r.Minor, types: types, definitions: definitions, done: map[string]bool{}}
		for _, k := range kinds {
			d := byKind[strings.Join([]string{k.group, k.version, k.name}, "/")]
			switch {
			case !k.has(r.Minor):
			case d == nil:
				t.Errorf("1.%d has no %s %s", r.Minor, k.apiVersion(), k.name)
			default:
				c.compare(k.typeName, d)
			}
		}
		t.Logf("1.%d: %d types, %d fields", r.Minor, len(c.done), c.fields)
	}
}

func published(t *testing.T, r Release) map[string]*definition {
	dir := module(t, fmt.Sprintf("k8s.io/kubernetes@v1.%d.%d", r.Minor, r.Patch))
	text, err := os.ReadFile(filepath.Join(dir, "api", "openapi-spec", "swagger.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Definitions map[string]*definition }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document.Definitions
}

// comparison compares the types of one version with its definitions.
type comparison struct {
	t           *testing.T
	minor       int
	types       manifest.Node
	definitions map[string]*definition
	done        map[string]bool // types
	fields      int
}

func (c *comparison) compare(typeName string, d *definition) {
	if c.done[typeName] {
		return
	}
	c.done[typeName] = true
	all := lifetime{Releases[0].Minor, last(Releases[:]).Minor}
	for f := range c.types.At(typeName, "properties").Children() {
		p, ok := d.Properties[f.Key()]
		if has := all.within(f.TextAt("since"), f.TextAt("until")).has(c.minor); has != ok {
			c.t.Errorf("1.%d: %s.%s: have %v, published %v", c.minor, typeName, f.Key(), has, ok)
		}
		if !ok {
			continue
		}
		c.fields++
		if name := innermost(f).TextAt("$ref"); name != "" {
			c.compare(name, c.definitions[strings.TrimPrefix(p.innermost().Ref, "#/definitions/")])
		}
	}
	for name := range d.Properties {
		if !c.types.At(typeName, "properties", name).Valid() && !slices.Contains([]string{"apiVersion", "kind"}, name) {
			c.t.Errorf("1.%d: no %s.%s", c.minor, typeName, name)
		}
	}
}
