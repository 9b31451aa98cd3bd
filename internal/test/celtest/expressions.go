package celtest

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/cel"
)

//go:embed testdata/expressions.txtar
var expressions []byte

// Expression is an expression of testdata/expressions.txtar with its outcome: true, false or error.
type Expression struct {
	*cel.Expression
	Text, Want string
}

// Expressions reads the expressions, and the value of their variable.
func Expressions(t testing.TB) (list []Expression, arguments []cel.Argument) {
	t.Helper()
	archive := txtar.Parse(expressions)
	s := CompileSchema(t, string(archive.Files[0].Data))
	signature := cel.Signature{
		Environment: cel.NewEnvironment(cel.Variable{Name: "self", Type: cel.TypeOf(s, false)}), AllowDyn: true,
	}
	for line := range strings.Lines(string(archive.Files[2].Data)) {
		want, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue // a comment
		}
		e, faults := cel.Compile(text, signature)
		if len(faults) > 0 {
			t.Errorf("%s: %s", text, faults[0].Message)
			continue
		}
		list = append(list, Expression{e, text, want})
	}
	if len(list) < 150 {
		t.Errorf("only %d expressions were read", len(list))
	}
	return list, []cel.Argument{{Node: Object("self.yaml", string(archive.Files[1].Data))}}
}
