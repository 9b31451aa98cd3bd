package catalog

import (
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/source"
)

// manyKinds is a catalog of n kinds, each in a different group.
func manyKinds(n int) *Catalog {
	var kinds Source
	for i := range n {
		name := "Kind" + strconv.Itoa(i)
		kinds = append(kinds, &Entry{
			Group: "g" + strconv.Itoa(i) + ".example.com", Name: name, ListName: name + "List", Versions: []string{"v1"},
		})
	}
	return New(kinds)
}

// In a stream of 40,000 documents with the same unknown kind, the search runs only once, even if many kinds are known.
func TestOneUnknownKindIsExplainedOnce(t *testing.T) {
	r := manyKinds(1000)
	want := r.Explain("apps", "v1", "Deployment")
	allocations := testing.AllocsPerRun(100, func() {
		if have := r.Explain("apps", "v1", "Deployment"); have.Message != want.Message || have.Help != want.Help {
			t.Error("the second answer is another one")
		}
	})
	if allocations > 1 {
		t.Errorf("%v allocations", allocations)
	}
}

// The next documents overwrite the text of a document, but not the kinds whose answers are kept.
func TestKeptAnswersOutliveTheTextsOfTheirKinds(t *testing.T) {
	r := manyKinds(3)
	for range 3 {
		buffer := []byte("Deployment")
		r.Explain("apps", "v1", unsafe.String(unsafe.SliceData(buffer), len(buffer)))
		copy(buffer, "xxxxxxxxxx")
	}
	if have := r.CacheSize(); have != 1 {
		t.Errorf("%d answers about one kind are kept, want 1", have)
	}
}

func TestAnswersAboutUnknownKindsAreBounded(t *testing.T) {
	r := manyKinds(3)
	most := 0
	for i := range 3 * maxAnswers {
		r.Explain("apps", "v1", "Deployment"+strconv.Itoa(i))
		most = max(most, len(r.unknown.answers))
	}
	if most != maxAnswers {
		t.Errorf("%d answers are kept, want %d", most, maxAnswers)
	}
	for _, c := range []struct{ length, kept int }{{maxIdentity, 1}, {maxIdentity + 1, 0}} {
		r := manyKinds(3)
		r.Explain("", "", strings.Repeat("x", c.length))
		if have := len(r.unknown.answers); have != c.kept {
			t.Errorf("of an identity of %d bytes %d are kept, want %d", c.length, have, c.kept)
		}
	}
}

// An existing group is not reported as a misspelling of another, and no kind is reported as missing from a group of
// which only some kinds are known.
func TestNothingIsMisspelledThatExists(t *testing.T) {
	crds := readCRDs(t, crd("networking.k8s.aws", "Ingress", "IngressList", "ingresses", "string")+
		"---\n"+crd("networkings.k8s.io", "NetworkPolicy", "NetworkPolicyList", "networkpolicies", "string")+
		"---\n"+crd("ecs.services.k8s.aws", "Cluster", "ClusterList", "clusters", "string")+
		"---\n"+crd("gateway.networking.k8s.io", "HTTPRoute", "HTTPRouteList", "httproutes", "string")+
		"---\n"+crd("monitorings.coreos.com", "Prometheus", "PrometheusList", "prometheuses", "string")+
		"---\n"+crd("cert-manager.io", "ClusterIsuer", "ClusterIsuerList", "clusterisuers", "string"))
	c := New(BuiltInKinds(), crds)
	for _, x := range []struct {
		group, kind string
		near        bool
		hint        string
	}{
		{"networking.k8s.io", "Ingress", false, ""},
		{"networking.k8s.io", "NetworkPolicy", false, ""}, // would be a misspelling without the list of Kubernetes groups
		{"networkinks.k8s.io", "NetworkPolicy", true, ""},
		{"networkinks.k8s.io", "Ingress", false, ""},
		{"eks.services.k8s.aws", "Cluster", false, ""},
		{"gateway.networking.x-k8s.io", "HTTPRoute", false, ""},
		{"gateway.networking.k8s.io", "TLSRoute", false, partialHint},
		{"gateway.networking.k8s.io", "HTTPRuote", true, ""},
		{"elbv2.k8s.aws", "TargetGroupBinding", false,
			"named like the built-in kind of elbv2.platform.cloud: map that group with names:, or pass its CRD with --schemas"},
		{"policy.networking.k8s.io", "ClusterNetworkPolicy", false, ""},
		{"", "Event", false, ""},
		{"monitoring.coreos.com", "Prometheus", false, ""},
		{"cert-manager.io", "ClusterIssuer", false, partialHint}, // one letter away, but a kind of the project
		{"cert-manager.io", "ClusterIsser", true, ""},
	} {
		u := c.Explain(x.group, "v1", x.kind)
		if u.Near != x.near || u.Hint != x.hint {
			t.Errorf("%s %s: have %+v", x.group, x.kind, u)
		}
	}
}

// A specification does not have every kind of a group that a platform has renamed.
func TestKindsOfRenamedGroups(t *testing.T) {
	renamed, violations := Renamed(BuiltInKinds(), names.Vocabulary{Groups: []names.Rename{{
		From: source.Word{Text: "resources.vendor.dev"}, To: source.Word{Text: "resources.acme.example"},
	}}})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	c := New(BuiltInKinds(), renamed)
	for _, x := range []struct {
		group, kind string
		near        bool
	}{
		{"resources.acme.example", "VendorAppV2", true},
		{"resources.acme.example", "VendorDatabase", false},
		{"elbv2.platform.cloud", "VendorDatabase", true}, // its original name
	} {
		if u := c.Explain(x.group, "v1", x.kind); u.Near != x.near || (u.Hint == "") != x.near {
			t.Errorf("%s %s: have %+v", x.group, x.kind, u)
		}
	}
}

// A text that cannot be read may be a Secret. imagePullSecrets is not one.
func TestASecretIsMentionedByItsKind(t *testing.T) {
	c := New(KubernetesKinds(0))
	for text, want := range map[string]bool{
		"kind: Secret\n": true, "{kind: SecretList}": true, "Secret": true, "kind:Secrets": true,
		"imagePullSecrets: []\nkind: Secret": true,
		"imagePullSecrets: []":               false, "kind: ExternalSecret": false, "": false, "secret": false,
	} {
		if have := len(c.SecretsMentioned(text)) > 0; have != want {
			t.Errorf("%q: have %t", text, have)
		}
	}
}

func TestLongListsAreCut(t *testing.T) {
	names := make([]string, mostListed+2)
	for i := range names {
		names[i] = "v" + strconv.Itoa(i)
	}
	for size, want := range map[int]string{
		mostListed: ", v" + strconv.Itoa(mostListed-1), mostListed + 1: " and 1 more", mostListed + 2: " and 2 more",
	} {
		if have := listed(names[:size]); !strings.HasSuffix(have, want) || strings.Count(have, "v") != mostListed {
			t.Errorf("%d names: have %s", size, have)
		}
	}
}

// Two CRDs of a kind may serve the same versions.
func TestVersionsAreListedOnce(t *testing.T) {
	names := make([]string, mostListed+1)
	for i := range names {
		names[i] = "v" + strconv.Itoa(i)
	}
	of := func(versions ...string) *Entry { return &Entry{Versions: versions} }
	if have := versionsOf([]*Entry{of("v1", "v2"), of("v2", "v3")}); have != "v1, v2, v3" {
		t.Errorf("have %s", have)
	}
	if have := versionsOf([]*Entry{of(names[:mostListed]...), of("v1")}); strings.HasSuffix(have, "more") {
		t.Errorf("have %s", have)
	}
	if have := versionsOf([]*Entry{of(names...)}); !strings.HasSuffix(have, ", v"+strconv.Itoa(mostListed-1)+" and more") {
		t.Errorf("have %s", have)
	}
}
