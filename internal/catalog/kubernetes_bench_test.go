package catalog

import (
	"os"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/native"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// BenchmarkRulesOfDeployment evaluates the rules of a Deployment whose schema has been checked.
func BenchmarkRulesOfDeployment(b *testing.B) {
	types := newKubernetesTypes(Server{})
	s, _ := types.compiler.CompileNamed("apps.v1.Deployment")
	n := readDeployment(b)
	native.Check(n, s, schema.Resource{Namespaced: true, Native: true}, manifest.Node{})
	rules := types.rules.NewRules(s)
	for b.Loop() {
		if result := rules.Check(nil, n, manifest.Node{}); len(result.Violations)+len(result.NotEvaluated) > 0 {
			b.Fatal(result)
		}
	}
}

// BenchmarkFirstDeployment makes the types and compiles the rules that a Deployment needs, and checks it.
func BenchmarkFirstDeployment(b *testing.B) {
	for b.Loop() {
		types := newKubernetesTypes(Server{})
		s, _ := types.compiler.CompileNamed("apps.v1.Deployment")
		n := readDeployment(b)
		native.Check(n, s, schema.Resource{Namespaced: true, Native: true}, manifest.Node{})
		types.rules.NewRules(s).Check(nil, n, manifest.Node{})
	}
}

func readDeployment(b *testing.B) manifest.Node {
	text, err := os.ReadFile("testdata/deployment.yaml")
	if err != nil {
		b.Fatal(err)
	}
	src := &source.Source{Text: string(text)}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	return tree.Root()
}
