package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// discovered returns the kinds of the CRDs of files, given as pairs of name and text.
func discovered(files ...string) *Discovered {
	var sources []Source
	for i := 0; i < len(files); i += 2 {
		kinds, _ := DiscoverCRDs(&source.Source{Name: files[i], Text: files[i+1]})
		sources = append(sources, kinds)
	}
	return NewDiscovered(sources...)
}

func widget(fieldType string) string {
	return crd("a.example.com", "Widget", "WidgetList", "widgets", fieldType)
}

func TestTheClosestCRDComesFirst(t *testing.T) {
	d := discovered("x/y/z/crd.yaml", widget("string"), "x/crd.yaml", widget("integer"), "x/y/m.yaml", widget("boolean"),
		"x/y/crd.yaml", widget("number"))
	l := New().NewLayer(d)
	var have []string
	c := l.Candidates("x/y/m.yaml", "a.example.com", "v1", "Widget")
	for _, candidate := range c.List {
		have = append(have, candidate.CRD.File)
	}
	if want := "[x/y/m.yaml x/y/crd.yaml x/y/z/crd.yaml x/crd.yaml]"; fmt.Sprint(have) != want || c.All != 4 {
		t.Errorf("have %v of %d, want %v", have, c.All, want)
	}
}

func TestCopiesOfACRDCountOnce(t *testing.T) {
	l := New().NewLayer(discovered("a.yaml", widget("string"), "b.yaml", "\n"+widget("string")+"\n"))
	if c := l.Candidates("m.yaml", "a.example.com", "v1", "Widget"); c.All != 1 || len(l.Kinds()) != 1 {
		t.Errorf("have %d candidates, %v", c.All, l.Kinds())
	}
}

func TestSoManyCRDsOfAKindAreTried(t *testing.T) {
	for _, n := range []int{MaxCandidates, MaxCandidates + 1} {
		var files []string
		for i := range n {
			files = append(files, fmt.Sprintf("%d.yaml", i), widget("string")+fmt.Sprintf("# %d\n", i))
		}
		c := New().NewLayer(discovered(files...)).Candidates("m.yaml", "a.example.com", "v1", "Widget")
		if len(c.List) != MaxCandidates || c.All != n {
			t.Errorf("have %d of %d, want %d of %d", len(c.List), c.All, MaxCandidates, n)
		}
	}
}

func TestCRDsThatTheUserNamesWinOverDiscoveredOnes(t *testing.T) {
	c := New(BuiltInKinds(), readCRDs(t, widget("integer")))
	other := crd("a.example.com", "Other", "OtherList", "others", "string")
	l := c.NewLayer(discovered("crd.yaml", widget("string")+other))
	if l.HasKind("a.example.com", "Widget") || l.HasKind("a.example.com", "WidgetList") ||
		!l.HasKind("a.example.com", "OtherList") {
		t.Errorf("have %v", l.Kinds())
	}
	if len(l.Replaced()) > 0 {
		t.Errorf("replaced %v", l.Replaced())
	}
}

func TestDiscoveredKindsReplaceBuiltInOnes(t *testing.T) {
	c := Embedded()
	l := c.NewLayer(discovered("crd.yaml",
		crd("elbv2.platform.cloud", "IngressClassParams", "IngressClassParamsList", "ingressclassparams", "string")))
	if r := l.Replaced(); len(r) != 1 || r[0].Kind != "IngressClassParams" || r[0].File != "crd.yaml" || r[0].Line != 2 {
		t.Errorf("have %v", r)
	}
	if _, _, ok := c.Lookup("elbv2.platform.cloud", "v1beta1", "IngressClassParams"); !ok {
		t.Error("the catalog has changed")
	}
}

func TestAListDoesNotTakeTheNameOfAnotherKind(t *testing.T) {
	l := Embedded().NewLayer(discovered(
		"a.yaml", crd("elbv2.platform.cloud", "Other", "IngressClassParams", "others", "string"),
		"b.yaml", crd("a.example.com", "Other", "Widget", "others", "string")+widget("string"),
	))
	if l.HasKind("elbv2.platform.cloud", "IngressClassParams") {
		t.Error("a list has the name of a built-in kind")
	}
	if c := l.Candidates("m.yaml", "a.example.com", "v1", "Widget"); c.IsList || c.All != 1 {
		t.Errorf("list %v, %d candidates", c.IsList, c.All)
	}
	if c := l.Candidates("m.yaml", "a.example.com", "v1", "WidgetList"); !c.IsList {
		t.Error("no list")
	}
}

func TestWhatGivesNoKind(t *testing.T) {
	for name, text := range map[string]string{
		"kubernetes.yaml": crd("apps", "Deployment", "DeploymentList", "deployments", "string"),
		"unserved.yaml":   strings.Replace(widget("string"), "served: true", "served: false", 1),
		"group.yaml":      strings.Replace(widget("string"), `group: "a.example.com"`, `group: ""`, 1),
		"long.yaml":       crd(strings.Repeat("a", 254), "Widget", "WidgetList", "widgets", "string"),
		"v1beta1.yaml":    strings.Replace(widget("string"), "k8s.io/v1", "k8s.io/v1beta1", 1),
		"a.j2.yaml":       widget("string") + "# the only\nstatus: '{{ a }}'\n",
		"other.yaml":      "kind: A\ntext: CustomResourceDefinition\n",
		"syntax.yaml":     widget("string") + "  {{ if }}\n a: b: c\n",
	} {
		kinds, _ := DiscoverCRDs(&source.Source{Name: name, Text: text})
		l := New().NewLayer(NewDiscovered(kinds))
		if c := l.Candidates("m.yaml", "a.example.com", "v1", "Widget"); len(c.List) > 0 || c.IsUnserved {
			t.Errorf("%s gives %v", name, l.Kinds())
		}
	}
}

func TestAVersionThatNoCRDServes(t *testing.T) {
	l := New().NewLayer(discovered("crd.yaml", widget("string")))
	for version, want := range map[string]bool{"v1": false, "v0": true, "v2": true} {
		if c := l.Candidates("m.yaml", "a.example.com", version, "Widget"); c.IsUnserved != want {
			t.Errorf("%s: unserved %v, want %v", version, c.IsUnserved, want)
		}
	}
	if u := l.Unserved("m.yaml", "a.example.com", "v2", "Widget"); u.Help != "known versions: v1" {
		t.Errorf("have %q", u.Help)
	}
}

func TestCRDsOfTestDataApplyThere(t *testing.T) {
	l := New().NewLayer(discovered("a/testdata/crds/crd.yaml", widget("string")))
	for file, want := range map[string]bool{
		"a/testdata/m.yaml": true, "a/testdata/b/m.yaml": true, "a/m.yaml": false, "a/testdata2/m.yaml": false,
		"testdata/m.yaml": false,
	} {
		if have := l.HasKindFor(file, "a.example.com", "Widget"); have != want {
			t.Errorf("%s: %v, want %v", file, have, want)
		}
		if c := l.Candidates(file, "a.example.com", "v2", "Widget"); c.IsUnserved != want {
			t.Errorf("%s: unserved %v, want %v", file, c.IsUnserved, want)
		}
	}
	if !New().NewLayer(discovered("testdata/crd.yaml", widget("string"), "z.yaml", widget("string"))).
		HasKindFor("m.yaml", "a.example.com", "Widget") {
		t.Error("a copy of a CRD in test data hides the CRD")
	}
}

func TestADiscoveredCRDKeepsItsDocumentAlone(t *testing.T) {
	text := strings.Repeat("kind: A\n---\n", 1000) + widget("string")
	kinds, size := DiscoverCRDs(&source.Source{Name: "crd.yaml", Text: text})
	if len(kinds) != 1 || len(kinds[0].src.Text) > len(widget("string")) || size > len(widget("string"))+entrySize {
		t.Fatalf("%d kinds, %d bytes", len(kinds), size)
	}
	if file, line := kinds[0].origin(); file != "crd.yaml" || line != 2002 {
		t.Errorf("have %s:%d", file, line)
	}
}

// A CRD must not loosen the schema of a Deployment. API servers serve their own kinds, whatever a CRD says.
func TestACRDDoesNotReplaceAKindOfKubernetes(t *testing.T) {
	crd := func(kind, list string) *Entry {
		return &Entry{Group: "apps", Name: kind, ListName: list, Origin: CRD, Versions: []string{"v1"}}
	}
	c := New(KubernetesKinds(0),
		Source{crd("Deployment", "Deployments"), crd("Widget", "DeploymentList"), crd("Gadget", "GadgetList")})
	for name, want := range map[string]Origin{"Deployment": Kubernetes, "DeploymentList": Kubernetes, "Gadget": CRD} {
		if e, ok := c.Entry("apps", name); !ok || e.Origin != want {
			t.Errorf("%s: have %+v, %t; want origin %d", name, e, ok, want)
		}
	}
	if e, ok := c.Entry("apps", "Widget"); ok {
		t.Errorf("Widget is %+v", e)
	}
}
