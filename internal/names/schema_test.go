package names_test

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
)

// Where a renamed schema requires a field or names a key of a list, it uses the name of a field that it declares.
func TestRenamedSchemasNameTheirFields(t *testing.T) {
	fields := map[string]bool{}
	eachSchema(catalog.New(catalog.BuiltInKinds()), func(n, _ manifest.Node) {
		for _, list := range namedIn(n) {
			fields[list.Text()] = true
		}
	})
	var v names.Vocabulary
	for name := range fields {
		one := names.Vocabulary{Fields: []names.Rename{rename(name, "x"+name)}}
		if _, violations := catalog.Renamed(catalog.BuiltInKinds(), one); len(violations) == 0 { // it is not one of Kubernetes
			v.Fields = append(v.Fields, one.Fields...)
		}
	}
	if len(v.Fields) < 20 {
		t.Fatalf("only %d fields are named", len(v.Fields))
	}
	renamed, violations := catalog.Renamed(catalog.BuiltInKinds(), v)
	if len(violations) > 0 {
		t.Fatal(violations[0].Message, violations[0].Help)
	}
	lists := 0
	eachSchema(catalog.New(renamed), func(n, of manifest.Node) {
		for _, name := range namedIn(n) {
			lists++
			holder := of
			if name.Parent().Key() == "x-kubernetes-list-map-keys" {
				holder = of.At("items")
			}
			if properties := holder.At("properties"); properties.Valid() && !properties.At(name.Text()).Valid() {
				t.Errorf("%s has %s, which is not declared", n.Path(), name.Text())
			}
		}
	})
	if lists < 50 {
		t.Errorf("only %d names were looked up", lists)
	}
}

// The second branch of VendorAppV3.spec is about a field that its first branch does not mention.
func TestEachBranchOfARenamedSchemaHasItsFields(t *testing.T) {
	renamed, violations := catalog.Renamed(catalog.BuiltInKinds(),
		names.Vocabulary{Fields: []names.Rename{rename("tcp_ports", "ports")}})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	branches := 0
	eachSchema(catalog.New(renamed), func(n, of manifest.Node) {
		if n.At("properties", "tcp_ports").Valid() {
			t.Errorf("%s has the built-in name of a renamed field", n.Path())
		}
		if n != of && n.At("properties", "ports").Valid() {
			branches++
		}
	})
	if branches == 0 {
		t.Error("no branch has the renamed field")
	}
}

// namedIn returns the names of fields in a schema: those that it requires, and the keys of a list.
func namedIn(n manifest.Node) (list []manifest.Node) {
	for _, key := range []string{"required", "x-kubernetes-list-map-keys"} {
		if names := n.At(key); names.Valid() && names.Type() == manifest.List {
			for name := range names.Children() {
				list = append(list, name)
			}
		}
	}
	return list
}

// eachSchema visits the schemas of all kinds, each with the one that declares its fields: branches see those of the
// schema that has them.
func eachSchema(c *catalog.Catalog, visit func(n, of manifest.Node)) {
	var walk func(n, of manifest.Node)
	walk = func(n, of manifest.Node) {
		if n.Type() != manifest.Map {
			return
		}
		visit(n, of)
		for f := range n.Children() {
			switch key := f.Key(); {
			case key == "properties":
				for p := range f.Children() {
					declared := of.At("properties", p.Key())
					if !declared.Valid() {
						declared = p
					}
					walk(p, declared)
				}
			case key == "items" || key == "additionalProperties":
				declared := of.At(key)
				if !declared.Valid() {
					declared = f
				}
				walk(f, declared)
			case strings.HasSuffix(key, "Of"):
				for branch := range f.Children() {
					walk(branch, of)
				}
			case key == "not":
				walk(f, of)
			}
		}
	}
	for _, e := range c.Entries() {
		for _, version := range e.Versions {
			if k, ok := e.Kind(version); ok && k.Origin == catalog.BuiltIn {
				walk(k.Schema.Node, k.Schema.Node)
			}
		}
	}
}
