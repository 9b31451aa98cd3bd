package names_test

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/validations"
)

func rename(from, to string) names.Rename {
	return names.Rename{From: source.Word{Text: from}, To: source.Word{Text: to}}
}

func words(path string, list ...string) names.Words {
	w := names.Words{Path: source.Word{Text: path}}
	for _, word := range list {
		w.Words = append(w.Words, source.Word{Text: word})
	}
	return w
}

func TestInvalidNamesAreRejected(t *testing.T) {
	var renamable []string // all kinds except the one that belongs to Kubernetes
	for _, e := range catalog.New(catalog.BuiltInKinds()).Entries() {
		if e.Name != "CustomResourceDefinition" {
			renamable = append(renamable, e.Name)
		}
	}
	for _, c := range []struct {
		vocabulary    names.Vocabulary
		message, help string
	}{
		{names.Vocabulary{Groups: []names.Rename{rename("elbv2.platform.clod", "elb.example")}},
			`no built-in kind is in API group "elbv2.platform.clod"`, "use elbv2.platform.cloud"},
		{names.Vocabulary{Kinds: []names.Rename{rename("CustomResourceDefinition", "Definition")}},
			`unknown built-in kind "CustomResourceDefinition"`,
			"known: " + strings.Join(renamable, ", ")},
		{names.Vocabulary{Kinds: []names.Rename{rename("VendorApp", "AcmeApp")}},
			`unknown built-in kind "VendorApp"`, "use VendorAppV3"},
		{names.Vocabulary{Fields: []names.Rename{rename("objectStor", "s3Location")}},
			`no built-in kind has a field "objectStor"`, "use objectStore"},
		{names.Vocabulary{Fields: []names.Rename{rename("metadata", "meta")}},
			`no built-in kind has a field "metadata"`, ""},
		{names.Vocabulary{Fields: []names.Rename{rename("Browser.spec.recordings", "records")}},
			`Browser.spec.recordings: unknown field "recordings"`, "use recording"},
		{names.Vocabulary{Fields: []names.Rename{rename("Browser.metadata.name", "title")}},
			`Browser.metadata.name: unknown field "metadata"`, "known: spec, status"},
		{names.Vocabulary{Fields: []names.Rename{rename("Browsers.spec.recording", "records")}},
			`a path must start with a built-in kind, got "Browsers"`, "use Browser"},
		{names.Vocabulary{Fields: []names.Rename{rename("Browser.spec.name.first", "x")}},
			`Browser.spec.name.first: "first" is not below an object with known fields`, ""},
		{
			names.Vocabulary{Fields: []names.Rename{rename("Browser.spec.description", "name")}},
			`Browser.spec would have two fields "name"`, "",
		},
		{names.Vocabulary{Kinds: []names.Rename{rename("Browser", "BrowserProfile")}},
			"Browser and BrowserProfile would both be named BrowserProfile in API group agentcorecontrol.services.platform.cloud", ""},
		{names.Vocabulary{Words: []names.Words{words("ClusterNetworkPolicy.spec.tier", "Admin")}},
			"ClusterNetworkPolicy.spec.tier is not an open field: its schema already restricts it", ""},
		{names.Vocabulary{Words: []names.Words{words("Browser.status.id", "acme")}},
			"Browser.status.id is not an open field: its schema already restricts it", ""},
		{names.Vocabulary{Words: []names.Words{words("VendorProvisionToken.spec.join_methods", "iam")}},
			`VendorProvisionToken.spec.join_methods: unknown field "join_methods"`, "use join_method"},
	} {
		_, violations := catalog.Renamed(catalog.BuiltInKinds(), c.vocabulary)
		if len(violations) != 1 {
			t.Errorf("want %q, have %d violations: %v", c.message, len(violations), violations)
			continue
		}
		if v := violations[0]; v.Message != c.message || v.Help != c.help {
			t.Errorf("have %q, help %q\nwant %q, help %q", v.Message, v.Help, c.message, c.help)
		}
	}
}

func TestARenamedKindIsFoundAndListedUnderItsName(t *testing.T) {
	renamed, _ := catalog.Renamed(catalog.BuiltInKinds(), names.Vocabulary{
		Groups: []names.Rename{rename("resources.vendor.dev", "resources.acme.example")},
		Kinds:  []names.Rename{rename("VendorAppV3", "AcmeAppV3")},
		Fields: []names.Rename{rename("use_any_proxy_public_addr", "anyProxy"), rename("VendorAppV3.spec.uri", "url")},
		Words: []names.Words{
			words("VendorProvisionToken.spec.join_method", "iam", "forge"), words("VendorProvisionToken.spec", "forge"),
		},
	})
	r := catalog.New(catalog.BuiltInKinds(), renamed)
	k, _, ok := r.Lookup("resources.acme.example", "v1", "AcmeAppV3")
	if !ok || k.Plural != "acmeappsv3" || k.ListName != "AcmeAppV3List" {
		t.Fatalf("have %v, %+v", ok, k)
	}
	if _, isList, ok := r.Lookup("resources.acme.example", "v1", "AcmeAppV3List"); !ok || !isList {
		t.Error("the list of the kind is not known")
	}
	spec, _ := k.Schema.Property("spec")
	for name, want := range map[string]bool{
		"anyProxy": true, "url": true, "use_any_proxy_public_addr": false, "uri": false,
	} {
		if _, ok := spec.Property(name); ok != want {
			t.Errorf("spec.%s: declared %v, want %v", name, ok, want)
		}
	}
	if _, _, ok := r.Lookup("resources.vendor.dev", "v1", "VendorAppV3"); !ok {
		t.Error("the built-in name is no longer known")
	}
	for _, e := range r.Entries() {
		if strings.Contains(e.Group, "vendor") {
			t.Errorf("%s is listed in group %s", e.Name, e.Group)
		}
	}
	k, _, _ = r.Lookup("resources.acme.example", "v2", "VendorProvisionToken")
	spec, _ = k.Schema.Property("spec")
	method, _ := spec.Property("join_method")
	if _, ok := spec.Property("forge"); !ok || spec.PreserveUnknown || len(method.Enum) != 2 {
		t.Errorf("the words are not closed: field %v, others %v, methods %d", ok, spec.PreserveUnknown, len(method.Enum))
	}
}

// Every rule compiles, no matter what the fields are called.
func TestRulesOfRenamedKindsCompile(t *testing.T) {
	var v names.Vocabulary
	seen := map[string]bool{}
	for _, e := range catalog.BuiltInKinds() {
		if e.Group == "apiextensions.k8s.io" {
			continue
		}
		for _, version := range e.Versions {
			k, _ := e.Kind(version)
			for _, p := range k.Schema.Properties {
				if p.Name == "apiVersion" || p.Name == "kind" || p.Name == "metadata" {
					continue
				}
				eachName(p.Name, p.Schema, func(name string) {
					if !seen[name] {
						seen[name] = true
						v.Fields = append(v.Fields, rename(name, name+"-2"))
					}
				})
			}
		}
	}
	renamed, violations := catalog.Renamed(catalog.BuiltInKinds(), v)
	for _, v := range violations {
		t.Fatal(v.Message)
	}
	r := catalog.New(catalog.BuiltInKinds(), renamed)
	rules := 0
	for _, e := range r.Entries() {
		for _, version := range e.Versions {
			k, ok := e.Kind(version)
			if !ok {
				t.Fatalf("%s has no version %s", e.Name, version)
			}
			rules += compileRules(t, k.Name, k.Schema, true)
		}
	}
	if rules == 0 {
		t.Error("there are no rules")
	}
}

// eachName visits the names of a field and of the fields below it.
func eachName(name string, s *schema.Schema, visit func(string)) {
	visit(name)
	for below := s; below != nil; {
		for _, p := range below.Properties {
			eachName(p.Name, p.Schema, visit)
		}
		if below.Items != nil {
			below = below.Items
		} else {
			below = below.Additional
		}
	}
}

// compileRules compiles the rules of a schema and of the schemas below it, and returns their number.
func compileRules(t *testing.T, path string, s *schema.Schema, root bool) int {
	rules := len(s.Rules)
	for i := range s.Rules {
		if _, _, _, err := validations.Rename(&s.Rules[i], s, root,
			func(*schema.Schema, string) (string, bool) { return "", false }); err != nil {
			t.Errorf("%s: %s: %v", path, s.Rules[i].Rule, err)
		}
	}
	for _, p := range s.Properties {
		rules += compileRules(t, path+"."+p.Name, p.Schema, false)
	}
	if s.Items != nil {
		rules += compileRules(t, path+"[]", s.Items, false)
	}
	return rules
}

// A view shows an object in built-in names, and texts that use built-in names are converted to the platform's. The
// object is not changed.
func TestAViewHasBuiltInNames(t *testing.T) {
	renamed, _ := catalog.Renamed(catalog.BuiltInKinds(), names.Vocabulary{
		Groups: []names.Rename{rename("networking.platform.cloud", "net.example")},
		Kinds:  []names.Rename{rename("ClusterNetworkPolicy", "NetPolicy")},
		Fields: []names.Rename{
			rename("portRange", "span"), rename("start", "x.y"), rename("ClusterNetworkPolicy.spec.ingress", "incoming"),
		},
	})
	r := catalog.New(catalog.BuiltInKinds(), renamed)
	k, _, ok := r.Lookup("net.example", "v1alpha1", "NetPolicy")
	if !ok {
		t.Fatal("the kind is not known")
	}
	if group, name := k.BuiltInName(); group != "networking.platform.cloud" || name != "ClusterNetworkPolicy" {
		t.Errorf("built-in name: have %s %s", group, name)
	}
	const own = `spec.incoming[0].ports[1].span["x.y"]`
	src := &source.Source{
		Name: "a.yaml", Text: "spec: {incoming: [{ports: [{}, {span: {x.y: 1, portRange: 2}}], labels: {span: 3}}]}\n",
	}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	find := func(n manifest.Node, names ...string) manifest.Node {
		for _, name := range names {
			if n = contentsOf(n); n.Valid() {
				n = n.At(name)
			}
		}
		return n
	}
	seen := k.Names.Root(tree.Root())
	n := find(seen, "spec", "ingress", "ports", "portRange", "start")
	if !n.Valid() || n.Path().String() != own || n.Integer() != 1 ||
		src.Text[n.KeySpan().Start:n.KeySpan().End] != "x.y" {
		t.Error("the object does not have its built-in names, or another path")
	}
	if n := find(seen, "spec", "ingress", "labels", "span"); !n.Valid() {
		t.Error("a field that the schema does not declare has another name")
	}
	if n := find(tree.Root(), "spec", "incoming", "ports", "span", "x.y"); !n.Valid() || n.Path().String() != own {
		t.Error("the object itself has other names")
	}
	have := strings.Join(k.Names.Fields([]string{"spec", "ingress", "ports", "portRange", "start"}), " ")
	if want := "spec incoming ports span x.y"; have != want {
		t.Errorf("fields: have %s, want %s", have, want)
	}
	for _, same := range []string{"spec", "metadata labels portRange", "spec other portRange", "status conditions type"} {
		if have := strings.Join(k.Names.Fields(strings.Fields(same)), " "); have != same {
			t.Errorf("fields %s: have %s", same, have)
		}
	}
	if have, want := k.Names.Text("the portRange of a ClusterNetworkPolicy"), "the span of a NetPolicy"; have != want {
		t.Errorf("text: have %s, want %s", have, want)
	}
}

// contentsOf returns the last item of a list, and any other value unchanged.
func contentsOf(n manifest.Node) manifest.Node {
	if n.Type() != manifest.List {
		return n
	}
	last, _ := n.Item(n.Len() - 1)
	return last
}
