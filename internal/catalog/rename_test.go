package catalog

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/expr"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

func rename(from, to string) Rename {
	return Rename{From: source.Word{Text: from}, To: source.Word{Text: to}}
}

func words(path string, list ...string) Words {
	w := Words{Path: source.Word{Text: path}}
	for _, word := range list {
		w.Words = append(w.Words, source.Word{Text: word})
	}
	return w
}

func TestNamesThatCannotBeAreRefused(t *testing.T) {
	var renamable []string // all kinds but Kubernetes' own one
	for _, e := range Embedded().Entries() {
		if e.Name != "CustomResourceDefinition" {
			renamable = append(renamable, e.Name)
		}
	}
	for _, c := range []struct {
		names         Names
		message, help string
	}{
		{Names{Groups: []Rename{rename("elbv2.platform.clod", "elb.example")}},
			`no kind that comes with kindvet is in a group "elbv2.platform.clod"`, "the nearest known name is elbv2.platform.cloud"},
		{Names{Kinds: []Rename{rename("CustomResourceDefinition", "Definition")}},
			`no kind that comes with kindvet is called "CustomResourceDefinition"`,
			"known: " + strings.Join(renamable, ", ")},
		{Names{Kinds: []Rename{rename("VendorApp", "AcmeApp")}},
			`no kind that comes with kindvet is called "VendorApp"`, "the nearest known name is VendorAppV3"},
		{Names{Members: []Rename{rename("objectStor", "s3Location")}},
			`no kind that comes with kindvet has a member "objectStor"`, "the nearest known name is objectStore"},
		{Names{Members: []Rename{rename("metadata", "meta")}},
			`no kind that comes with kindvet has a member "metadata"`, ""},
		{Names{Members: []Rename{rename("Browser.spec.recordings", "records")}},
			`Browser.spec.recordings: there is no member "recordings"`, "the nearest known name is recording"},
		{Names{Members: []Rename{rename("Browser.metadata.name", "title")}},
			`Browser.metadata.name: there is no member "metadata"`, "known: spec, status"},
		{Names{Members: []Rename{rename("Browsers.spec.recording", "records")}},
			`a path starts with a kind, and none that comes with kindvet is called "Browsers"`, "the nearest known name is Browser"},
		{Names{Members: []Rename{rename("Browser.spec.name.first", "x")}},
			`Browser.spec.name.first: there are no members where "first" is looked for`, ""},
		{Names{Members: []Rename{rename("Browser.spec.description", "name")}}, `Browser.spec would have two members "name"`, ""},
		{Names{Kinds: []Rename{rename("Browser", "BrowserProfile")}},
			"Browser and BrowserProfile would both be called BrowserProfile in group agentcorecontrol.services.platform.cloud", ""},
		{Names{Words: []Words{words("ClusterNetworkPolicy.spec.tier", "Admin")}},
			"ClusterNetworkPolicy.spec.tier is not open: its schema says already what may stand there", ""},
		{Names{Words: []Words{words("Browser.status.id", "acme")}},
			"Browser.status.id is not open: its schema says already what may stand there", ""},
		{Names{Words: []Words{words("VendorProvisionToken.spec.join_methods", "iam")}},
			`VendorProvisionToken.spec.join_methods: there is no member "join_methods"`, "the nearest known name is join_method"},
	} {
		_, violations := Renamed(BuiltInKinds(), c.names)
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
	renamed, _ := Renamed(BuiltInKinds(), Names{
		Groups:  []Rename{rename("resources.vendor.dev", "resources.acme.example")},
		Kinds:   []Rename{rename("VendorAppV3", "AcmeAppV3")},
		Members: []Rename{rename("use_any_proxy_public_addr", "anyProxy"), rename("VendorAppV3.spec.uri", "url")},
		Words:   []Words{words("VendorProvisionToken.spec.join_method", "iam", "forge"), words("VendorProvisionToken.spec", "forge")},
	})
	r := New(BuiltInKinds(), renamed)
	k, _, ok := r.Lookup("resources.acme.example", "v1", "AcmeAppV3")
	if !ok || k.Plural != "acmeappsv3" || k.ListName != "AcmeAppV3List" {
		t.Fatalf("have %v, %+v", ok, k)
	}
	if _, isList, ok := r.Lookup("resources.acme.example", "v1", "AcmeAppV3List"); !ok || !isList {
		t.Error("the list of the kind is not known")
	}
	spec, _ := k.Schema.Property("spec")
	for name, want := range map[string]bool{"anyProxy": true, "url": true, "use_any_proxy_public_addr": false, "uri": false} {
		if _, ok := spec.Property(name); ok != want {
			t.Errorf("spec.%s: declared %v, want %v", name, ok, want)
		}
	}
	if _, _, ok := r.Lookup("resources.vendor.dev", "v1", "VendorAppV3"); !ok {
		t.Error("the neutral name is not known any more")
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
		t.Errorf("the words are not closed: member %v, others %v, methods %d", ok, spec.PreserveUnknown, len(method.Enum))
	}
}

// Every rule compiles, whatever the members are called.
func TestRulesOfRenamedKindsCompile(t *testing.T) {
	var names Names
	seen := map[string]bool{}
	for _, e := range Embedded().Entries() {
		if e.Group == kubernetesGroup {
			continue
		}
		entry := renamedEntry{Entry: e, tree: readEmbedded(e.embeddedFile())}
		for s := range entry.schemas() {
			eachMember(s, true, func(member manifest.Node) {
				if name := member.Key(); !seen[name] {
					seen[name] = true
					names.Members = append(names.Members, rename(name, name+"-2"))
				}
			})
		}
	}
	renamed, violations := Renamed(BuiltInKinds(), names)
	for _, v := range violations {
		t.Fatal(v.Message)
	}
	r := New(BuiltInKinds(), renamed)
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

// compileRules compiles the rules of a schema and of those below it, and returns how many there are.
func compileRules(t *testing.T, path string, s *schema.Schema, root bool) int {
	rules := len(s.Rules)
	for i := range s.Rules {
		if _, _, _, err := expr.Rename(&s.Rules[i], s, root, func(*schema.Schema, string) (string, bool) { return "", false }); err != nil {
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

func TestReplaceWordsReplacesWholeNames(t *testing.T) {
	words := map[string]string{"objectStore": "s3Location", "elbv2.platform.cloud": "elb.example", "VendorAppV3": "AcmeAppV3"}
	for _, c := range []struct{ text, want string }{
		{"Where objectStore is.", "Where s3Location is."},
		{"objectStoreLocation or (objectStore), objectStore.", "objectStoreLocation or (s3Location), s3Location."},
		{"group elbv2.platform.cloud/v1, not x.elbv2.platform.cloud", "group elb.example/v1, not x.elbv2.platform.cloud"},
		{"--- é VendorAppV3\n", "--- é AcmeAppV3\n"},
		{"", ""},
	} {
		if have := replaceWords(c.text, words); have != c.want {
			t.Errorf("%q: have %q, want %q", c.text, have, c.want)
		}
	}
}

// What is written in neutral words sees an object in neutral words, and what it says is said in the platform's.
func TestNeutralWordsAndBack(t *testing.T) {
	renamed, _ := Renamed(BuiltInKinds(), Names{
		Groups:  []Rename{rename("networking.platform.cloud", "net.example")},
		Kinds:   []Rename{rename("ClusterNetworkPolicy", "NetPolicy")},
		Members: []Rename{rename("portRange", "span"), rename("start", "x.y"), rename("ClusterNetworkPolicy.spec.ingress", "incoming")},
	})
	r := New(BuiltInKinds(), renamed)
	k, _, ok := r.Lookup("net.example", "v1alpha1", "NetPolicy")
	if !ok {
		t.Fatal("the kind is not known")
	}
	if group, name := k.Neutral(); group != "networking.platform.cloud" || name != "ClusterNetworkPolicy" {
		t.Errorf("neutral name: have %s %s", group, name)
	}
	const path, own = "spec.ingress[0].ports[1].portRange.start", `spec.incoming[0].ports[1].span["x.y"]`
	src := &source.Source{Name: "a.yaml", Text: "spec: {incoming: [{ports: [{}, {span: {x.y: 1, portRange: 2}}], labels: {span: 3}}]}\n"}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	find := func(names ...string) manifest.Node {
		n := tree.Root()
		for _, name := range names {
			if n = contentsOf(n); n.Valid() {
				n = n.At(name)
			}
		}
		return n
	}
	called := false
	k.InNeutralWords(tree.Root(), func() {
		called = true
		n := find("spec", "ingress", "ports", "portRange", "start")
		if !n.Valid() || n.Path() != path || src.Text[n.KeySpan().Start:n.KeySpan().End] != "x.y" {
			t.Error("the object is not in neutral words")
		}
	})
	if n := find("spec", "incoming", "ports", "span", "x.y"); !called || !n.Valid() || n.Path() != own {
		t.Error("the object is not in its own words again")
	}
	if have := k.OwnPath(path); have != own {
		t.Errorf("path: have %s, want %s", have, own)
	}
	for _, same := range []string{"", "spec", "metadata.labels[\"a.b/portRange\"]", "spec.other[2].portRange", "status.conditions[0].type"} {
		if have := k.OwnPath(same); have != same {
			t.Errorf("path %s: have %s", same, have)
		}
	}
	if have, want := k.OwnText("the portRange of a ClusterNetworkPolicy"), "the span of a NetPolicy"; have != want {
		t.Errorf("text: have %s, want %s", have, want)
	}
}

// contentsOf is the last item of a list, and anything else itself.
func contentsOf(n manifest.Node) manifest.Node {
	if n.Type() != manifest.List {
		return n
	}
	last, _ := n.Item(n.Len() - 1)
	return last
}
