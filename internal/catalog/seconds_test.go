package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/kindvet/kindvet/internal/source"
)

// The text of a document is overwritten by the next one, but answers about its kind are kept.
func TestAnswersOutliveTheTextOfTheQuestion(t *testing.T) {
	var m memo[string]
	buffer := []byte("group.a/v1/Kind")
	ask := func(text string) string {
		copy(buffer, text)
		s := unsafe.String(unsafe.SliceData(buffer), len(buffer))
		return m.of(identity{s[:7], s[8:10], s[11:]}, func() string { return text })
	}
	for range 2 {
		for _, text := range []string{"group.a/v1/Kind", "group.b/v1/Kind", "group.a/v2/Kind", "group.a/v1/Kinb"} {
			if have := ask(text); have != text {
				t.Errorf("have the answer about %s, want %s", have, text)
			}
		}
	}
	if m.size() != 4 {
		t.Errorf("%d answers are kept", m.size())
	}
}

// A kind is served up to its last version, and from its first.
func TestKindsAreServedFromTheirFirstToTheirLastVersion(t *testing.T) {
	for kind, minors := range map[string][2]int{
		"flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema":           {OldestKubernetes, 31},
		"flowcontrol.apiserver.k8s.io/v1/FlowSchema":                {29, NewestKubernetes},
		"resource.k8s.io/v1/ResourceClaim":                          {34, NewestKubernetes},
		"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy": {30, NewestKubernetes},
	} {
		for minor := OldestKubernetes; minor <= NewestKubernetes; minor++ {
			if have, want := slices.Contains(Served(Server{Minor: minor}), kind), minors[0] <= minor && minor <= minors[1]; have != want {
				t.Errorf("1.%d serves %s: have %v, want %v", minor, kind, have, want)
			}
		}
	}
}

// Only built-in kinds are said to be replaced, not CRDs that are given twice.
func TestACRDThatIsGivenTwiceReplacesNothing(t *testing.T) {
	own, _, _ := ReadCRDs(&source.Source{Name: "own.yaml", Text: widget("string")})
	again, _, _ := ReadCRDs(&source.Source{Name: "again.yaml", Text: widget("integer")})
	builtIn, _, _ := ReadCRDs(&source.Source{Name: "built-in.yaml", Text: strings.NewReplacer("a.example.com", "elbv2.platform.cloud",
		"Widget", "TargetGroupBinding", "widgets", "targetgroupbindings").Replace(widget("string"))})
	if have := New(BuiltInKinds(), own, again).Replaced(); len(have) != 0 {
		t.Errorf("have %+v", have)
	}
	if have := New(BuiltInKinds(), own, builtIn).Replaced(); len(have) == 0 || have[0].Kind != "TargetGroupBinding" {
		t.Errorf("have %+v", have)
	}
}

// Each CRD of a kind is asked for the version of a document.
func TestAVersionMayBeThatOfTheSecondCRD(t *testing.T) {
	second := strings.Replace(widget("integer"), "name: v1", "name: v2", 1)
	l := New().NewLayer(discovered("x/a.yaml", widget("string"), "x/b.yaml", second, "x/c.yaml", widget("boolean")))
	for version, want := range map[string]string{"v1": "2 [x/a.yaml x/c.yaml]", "v2": "1 [x/b.yaml]", "v3": "0 []"} {
		c := l.Candidates("x/m.yaml", "a.example.com", version, "Widget")
		files := []string{}
		for _, candidate := range c.List {
			files = append(files, candidate.CRD.File)
		}
		if have := fmt.Sprint(c.All, " ", files); have != want {
			t.Errorf("%s: have %s, want %s", version, have, want)
		}
	}
}
