package rule

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/adapter"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// lintRule is the check of a lint rule and the documents of its examples.
type lintRule struct {
	file     string
	check    *cel.Expression
	examples []manifest.Node
}

// lintRules returns the lint rules that have a check.
func lintRules(t testing.TB) (list []lintRule) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "rules", "lint", "*", "*", "rule.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no lint rules: %v", err)
	}
	for _, file := range files {
		of, violations := Parse(&source.Source{Name: file, Text: readText(t, file)})
		if len(violations) > 0 {
			t.Fatalf("%s: %s", file, violations[0].Message)
		}
		if of.check == nil {
			continue
		}
		r := lintRule{file: file, check: of.check.compile()}
		examples, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.yaml"))
		for _, example := range examples {
			if example != file {
				r.examples = append(r.examples, documents(t, example)...)
			}
		}
		list = append(list, r)
	}
	return list
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documents parses all documents of a file, if they can be parsed.
func documents(t testing.TB, file string) (list []manifest.Node) {
	src := &source.Source{Name: file, Text: readText(t, file)}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if tree.Read(src, part); tree.Root().Valid() {
			list = append(list, tree.Root())
		}
	}
	return list
}

// mostUnsureLint is the percentage of evaluations that closures may leave to cel-go if rules see values of any
// type.
const mostUnsureLint = 10

// compareLint evaluates a check in both ways, on a document and on each value in it. Rules must tolerate all types
// of value.
func compareLint(y *celtest.Tally, name string, check *cel.Expression, document, old manifest.Node) {
	var vars Variables
	vars.arguments[variableObjects].Items = []any{adapter.Native(document), adapter.Native(document)}
	vars.arguments[variableObject].Node, vars.arguments[variableOldObject].Node = document, old
	var visit func(n manifest.Node)
	visit = func(n manifest.Node) {
		vars.arguments[variableSelf].Node = n
		vars.arguments[variableSource].Strings = []string{n.Raw(), "plain", "", `"key"`, ": "}
		y.Compare(check, vars.arguments[:], func() string { return name + "\n" + string(n.AppendJSON(nil)) })
		for child := range n.Children() {
			visit(child)
		}
	}
	visit(document)
}

func TestClosuresEvaluateTheExamplesOfLintRulesAsCELDoes(t *testing.T) {
	y := &celtest.Tally{}
	for _, r := range lintRules(t) {
		if !r.check.IsCovered() {
			t.Logf("%s: closures do not cover it", r.file)
		}
		for i, document := range r.examples {
			compareLint(y, r.file, r.check, document, manifest.Node{})
			compareLint(y, r.file, r.check, document, r.examples[(i+1)%len(r.examples)])
		}
	}
	y.Report(t, mostUnsureLint)
}

// Each document of the kinds is evaluated by one of ten rules in rotation.
func TestClosuresEvaluateTheKindsByLintRulesAsCELDoes(t *testing.T) {
	y := &celtest.Tally{}
	rules, turn := lintRules(t), 0
	err := filepath.WalkDir(filepath.Join("..", "..", "..", "testdata", "kinds"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".yaml" {
				return err
			}
			for _, document := range documents(t, path) {
				for turn++; turn%10 > 0; turn++ {
					r := rules[turn*7%len(rules)]
					compareLint(y, path+" by "+r.file, r.check, document, document)
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	y.Report(t, mostUnsureLint)
}

// FuzzLintClosures picks a lint rule and one of its examples, changes some values and fields of the example, and
// runs the rule in both ways.
func FuzzLintClosures(f *testing.F) {
	rules := slices.DeleteFunc(lintRules(f), func(r lintRule) bool { return len(r.examples) == 0 })
	for i := range 64 {
		f.Add(uint64(i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, which, seed uint64) {
		r := rand.New(rand.NewPCG(seed, which))
		rule := rules[which%uint64(len(rules))]
		example := celtest.Drawn(r, rule.examples)
		changed := celtest.Redraw(r, celtest.DecodeNode(example))
		if !changed.Valid() {
			return
		}
		y := &celtest.Tally{}
		compareLint(y, rule.file, rule.check, changed, example)
		for _, d := range y.Different {
			t.Error(d)
		}
	})
}
