// Package celtest evaluates expressions in both ways, as closures and with cel-go, and compares the results. It is
// for tests only.
package celtest

import (
	"fmt"
	"testing"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Tally collects the results of comparisons. The zero value is ready to use.
type Tally struct {
	// Expressions counts the distinct expressions, Covered those that closures cover.
	Expressions, Covered int
	// Runs counts the evaluations, Unsure those that closures left to cel-go.
	Runs, Unsure int
	// Different describes the evaluations where closures had another outcome or a lower cost than cel-go.
	Different []string

	seen map[*cel.Expression]bool
}

// Count counts an expression and reports whether closures cover it.
func (y *Tally) Count(e *cel.Expression) bool {
	if !y.seen[e] {
		if y.seen == nil {
			y.seen = map[*cel.Expression]bool{}
		}
		y.seen[e] = true
		y.Expressions++
		if e.IsCovered() {
			y.Covered++
		}
	}
	return e.IsCovered()
}

// Compare evaluates an expression in both ways. name describes the evaluation when there is a difference.
func (y *Tally) Compare(e *cel.Expression, arguments []cel.Argument, name func() string) {
	if !y.Count(e) {
		return
	}
	y.Runs++
	f := &closure.Frame{}
	have := e.Verdict(f, arguments)
	if have == closure.Unsure {
		y.Unsure++
		return
	}
	result := e.Eval(e.Activate(arguments, &environment.Meter{Left: environment.WorkBudget}))
	want := closure.Failed // a result that is neither true nor false counts as an error
	switch {
	case result.IsTrue():
		want = closure.True
	case result.IsFalse():
		want = closure.False
	}
	if have != want {
		y.Different = append(y.Different, fmt.Sprintf("closures %s, cel-go %s (%v): %s", have, want, result.Err, name()))
	} else if result.Cost > f.Cost() {
		y.Different = append(y.Different, fmt.Sprintf("closures count %d, cel-go %d: %s", f.Cost(), result.Cost, name()))
	}
}

// Report fails the test if evaluations differ, if closures cover less than 95 % of the expressions, or if they
// leave more than mostUnsure percent of the evaluations to cel-go.
func (y *Tally) Report(t *testing.T, mostUnsure int) {
	t.Helper()
	for _, d := range y.Different[:min(len(y.Different), 20)] {
		t.Error(d)
	}
	t.Logf("closures cover %d of %d expressions; %d evaluations, %d of them left to cel-go, %d different",
		y.Covered, y.Expressions, y.Runs, y.Unsure, len(y.Different))
	if y.Covered*100 < y.Expressions*95 {
		t.Errorf("closures cover less than 95%% of the expressions")
	}
	if y.Runs == 0 || y.Unsure*100 > y.Runs*mostUnsure {
		t.Errorf("closures leave more than %d%% of %d evaluations to cel-go", mostUnsure, y.Runs)
	}
}

// ReadTree parses the last document of a source.
func ReadTree(t testing.TB, src *source.Source) *manifest.Tree {
	t.Helper()
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatalf("%s: %s", src.Name, vs[0].Message)
		}
	}
	return tree
}

// CompileSchema compiles the text of a schema.
func CompileSchema(t testing.TB, text string) *schema.Schema {
	t.Helper()
	tree := ReadTree(t, &source.Source{Name: "schema.yaml", Text: text})
	s, violations := schema.Compile(tree.Root(), false)
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	return s
}

// Object parses the first document of a text. The node is not valid if there is no document.
func Object(name, text string) manifest.Node {
	src := &source.Source{Name: name, Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		return tree.Root()
	}
	return manifest.Node{}
}
