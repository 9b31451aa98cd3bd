package upstream

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
)

// An overlay that names nothing has no effect, so nobody would notice that upstream renamed or removed a field.
func TestOverlaysNameTypesAndProperties(t *testing.T) {
	types := readYAML(t, "types.yaml")
	entries, err := os.ReadDir(filepath.Join(directory, "overlay"))
	if err != nil || len(entries) == 0 {
		t.Fatal("no overlays", err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		of, isType := types.Field(name)
		if !ok || !isType {
			t.Errorf("overlay/%s is not named after a type", e.Name())
			continue
		}
		overlay := readYAML(t, "overlay/"+e.Name())
		for r := range overlay.At("required").Children() {
			if !of.At("properties", r.Text()).Valid() {
				t.Errorf("%s requires an unknown property %s", name, r.Text())
			}
		}
		checkOverlay(t, types, name, of, overlay)
	}
}

func checkOverlay(t *testing.T, types manifest.Node, path string, of, overlay manifest.Node) {
	for p := range overlay.At("properties").Children() {
		property, ok := of.At("properties").Field(p.Key())
		if !ok {
			t.Errorf("%s has an unknown property %s", path, p.Key())
			continue
		}
		checkDefault(t, path+"."+p.Key(), property, p.At("default"))
		if ref := property.TextAt("$ref"); ref != "" {
			property = types.At(ref)
		}
		checkOverlay(t, types, path+"."+p.Key(), property, p)
	}
}

// checkDefault checks that a default is of the type of its property, and one of the values of an enum.
func checkDefault(t *testing.T, path string, property, value manifest.Node) {
	t.Helper()
	if !value.Valid() {
		return
	}
	types := map[string]manifest.Type{
		"string": manifest.String, "integer": manifest.Integer, "boolean": manifest.Boolean, "array": manifest.List,
	}
	want, isKnown := types[property.TextAt("type")]
	if isKnown && value.Type() != want {
		t.Errorf("%s: default %s of another type", path, value.Text())
	}
	if values := texts(property.At("enum")); len(values) > 0 && !slices.Contains(values, value.Text()) {
		t.Errorf("%s: default %s is not a value", path, value.Text())
	}
}

func TestOverlaysDifferFromTheirTypes(t *testing.T) {
	types := readYAML(t, "types.yaml")
	entries, err := os.ReadDir(filepath.Join(directory, "overlay"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".yaml")
		overlay := readYAML(t, "overlay/"+e.Name())
		required := overlay.At("required")
		if required.Valid() && slices.Equal(texts(required), texts(types.At(name, "required"))) {
			t.Errorf("%s: required is that of the type", name)
		}
	}
}

// texts returns the items of a list.
func texts(n manifest.Node) []string {
	var all []string
	for item := range n.Children() {
		all = append(all, item.Text())
	}
	return all
}
