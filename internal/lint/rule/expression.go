package rule

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
)

// expression is a CEL expression of a rule file. It is compiled when it is first evaluated.
type expression struct {
	written   string // in the rule file
	text      string // with the values of parameters
	inlined   []inlined
	signature cel.Signature
	encoded   string // as it left CEL's checker; "" if that is not known

	once     sync.Once
	compiled *cel.Expression
	faults   []cel.Fault
}

// compile compiles the expression. It returns nil if the expression has faults.
func (e *expression) compile() *cel.Expression {
	e.once.Do(func() {
		if e.encoded != "" {
			e.compiled, e.faults = cel.Precompiled(e.encoded, e.signature, func() string { return e.text })
			return
		}
		e.compiled, e.faults = cel.Compile(e.text, e.signature)
	})
	return e.compiled
}

func (e *expression) with(params []Param) *expression {
	if e == nil {
		return nil
	}
	return newExpression(e.written, params, e.signature)
}

func newExpression(written string, params []Param, s cel.Signature) *expression {
	e := &expression{written: written, text: written, signature: s}
	if len(params) > 0 {
		e.text, e.inlined = inlineParams(written, params)
	}
	return e
}

// inlined is a value in the text of an expression: its end in the text, and the end of its parameter as it is written.
type inlined struct{ end, written int }

// writtenOffset returns the offset in the expression as it is written of a byte in its text.
func (e *expression) writtenOffset(offset int) int {
	for _, in := range slices.Backward(e.inlined) {
		if offset >= in.end {
			return offset - in.end + in.written
		}
	}
	return min(offset, len(e.written))
}

// selections finds the parts of an expression that inlineParams must tell apart: string literals, comments, fields,
// and the parameters.
var selections = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`//[^\n]*` +
		`|(?s:[rR](?:'''.*?'''|""".*?""")|[rR](?:'[^']*'|"[^"]*"))` +
		`|(?s:'''(?:[^\\]|\\.)*?'''|"""(?:[^\\]|\\.)*?"""|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")` +
		`|\.\s*\w+|\bparams\.\w+`)
})

// inlineParams replaces the parameters in an expression by their values. Unknown ones stay as they are.
func inlineParams(written string, params []Param) (text string, values []inlined) {
	var b strings.Builder
	copied := 0
	for _, at := range selections().FindAllStringIndex(written, -1) {
		name, isParam := strings.CutPrefix(written[at[0]:at[1]], "params.")
		i := slices.IndexFunc(params, func(p Param) bool { return isParam && p.Name == name })
		if i < 0 {
			continue
		}
		b.WriteString(written[copied:at[0]] + params[i].Default.Literal)
		copied = at[1]
		values = append(values, inlined{b.Len(), copied})
	}
	return b.String() + written[copied:], values
}
