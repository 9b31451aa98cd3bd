package check

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/source"
)

// A check that keeps only some findings, and from some point on only counts others, has the same result as one that
// drops the excess at its end.
func TestALimitedCheckKeepsWhatAnUnlimitedOneWouldKeep(t *testing.T) {
	rules, err := lint.New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	documents := []string{
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a, ports: [{containerPort: 0}]}]}\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: a}\nspec: {containers: [{name: a, image: a}, {name: b, image: 'b:1'}]}\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {type: NodePort, ports: [{port: 80}]}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: 'ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]'}\nsops: {mac: a, version: b, lastmodified: c}\n",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var text strings.Builder
		for range 40 {
			text.WriteString(documents[random.IntN(len(documents))] + "---\n")
		}
		limit := 1 + random.IntN(12)
		check := func(limit int) Result {
			engine := New(Options{
				Catalog: catalog.New(catalog.KubernetesKinds(0), catalog.BuiltInKinds()), Rules: rules, UnknownKinds: Auto,
				MaxFindings: limit,
			})
			return engine.Check(&Memory{}, &source.Source{Name: "a.yaml", Text: text.String()}, File{})
		}
		want, have := check(0), check(limit)
		if want.Summary.Errors == 0 || want.Summary.Warnings == 0 || want.Summary.Infos == 0 {
			t.Fatalf("not all severities: %+v", want.Summary)
		}
		want.keepFirst(limit)
		have.keepFirst(limit)
		if have.Summary != want.Summary {
			t.Fatalf("limit %d: have %+v, want %+v", limit, have.Summary, want.Summary)
		}
		line := func(v diag.Violation) string { return string(v.Rule) + v.Path.String() + v.Message }
		for i := range want.Violations {
			if line(have.Violations[i]) != line(want.Violations[i]) {
				t.Fatalf("limit %d: finding %d is %s, want %s", limit, i, line(have.Violations[i]), line(want.Violations[i]))
			}
		}
	}
}

// After enough findings, others are only counted. Errors never are, because they make a document invalid.
func TestFindingsAreOnlyCountedAfterEnoughOthers(t *testing.T) {
	c := &checker{engine: &Engine{options: Options{MaxFindings: 3}}, src: &source.Source{}, result: &Result{}}
	take := func(severities ...diag.Severity) {
		for _, s := range severities {
			c.take(diag.Object{}, []diag.Violation{{Rule: "a/b", Severity: s}})
		}
	}
	for _, step := range []struct {
		add  []diag.Severity
		want diag.Severity
	}{
		{nil, 0},
		{[]diag.Severity{diag.Info, diag.Info}, 0},
		{[]diag.Severity{diag.Warning}, diag.Info},
		{[]diag.Severity{diag.Error, diag.Warning}, diag.Warning},
		{[]diag.Severity{diag.Error, diag.Error}, diag.Warning},
	} {
		take(step.add...)
		if have := c.onlyCount(); have != step.want {
			t.Errorf("after %v: have %v, want %v", step.add, have, step.want)
		}
	}
	c.src = &source.Source{Written: func(source.Span) source.Origin { return source.Origin{} }}
	if have := c.onlyCount(); have != 0 { // the places of templates have another order
		t.Errorf("in a rendered text: have %v", have)
	}
}

// The second pass gives the same details if it reads only the documents at fault. The first pass gives them, too, if
// it expects the candidates.
func TestDocumentsAtFaultAreReadAlone(t *testing.T) {
	rules, err := lint.New(rule.Options{Profile: "all", Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	service := func(name string) string {
		return "{apiVersion: v1, kind: Service, metadata: {name: " + name +
			", namespace: a}, spec: {selector: {app: a}, ports: [{port: 80}]}}"
	}
	block := "apiVersion: v1\n  kind: Service\n  metadata: {name: a, namespace: a}\n  spec: {selector: {app: b}, ports: [{port: 80}]}\n"
	list := func(items ...string) string {
		return "apiVersion: v1\nkind: List\nitems:\n- " + strings.Join(items, "\n- ")
	}
	for name, text := range map[string]string{
		"documents": service("a") + "\n---\n" + service("b") + "\n---\n" + service("a"),
		"list":      list(service("a"), service("b"), service("a")),
		"block":     list(block, service("c"), block),
		"alias":     list("&x "+service("a"), service("b"), "*x"),
		"nested":    list(service("a"), "{apiVersion: v1, kind: List, items: ["+service("a")+"]}", service("b")),
		"typed":     "{apiVersion: v1, kind: ServiceList, items: [{metadata: {name: a, namespace: a}, spec: {ports: [{port: 80}]}}, {metadata: {name: a, namespace: a}, spec: {ports: [{port: 81}]}}]}",
		"after":     "# a comment\n\n---\n" + list(service("a"), service("a")) + "\n---\n" + service("b"),
	} {
		engine := New(Options{
			Catalog: catalog.New(catalog.KubernetesKinds(0), catalog.BuiltInKinds()), Rules: rules, UnknownKinds: Auto,
		})
		src := &source.Source{Name: "a.yaml", Text: text, FirstByte: 1000}
		first := engine.Check(&Memory{}, src, File{})
		candidates := sets.FindCandidates([]*sets.Records{&first.Records})
		findings := func(o Result) (list []string) {
			for _, v := range sets.Gather(t.Context(), o.Details).Violations {
				list = append(list, v.Path.String()+" "+string(v.Rule)+" "+v.Message)
			}
			return list
		}
		again := engine.Again(candidates)
		want := findings(again.Check(&Memory{}, src, File{}))
		have := findings(again.Check(&Memory{}, src, File{Only: candidates.Spots(&first.Records)}))
		if len(want) == 0 || !slices.Equal(have, want) {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
	}
}
