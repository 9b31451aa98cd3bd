package rule

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/rules"
)

// precompiledFile holds the expressions of the embedded rules as they leave CEL's checker. If a check is true, neither
// the rule file nor a compiler is needed. The first line is the version of the encoding. Each further line has the id
// of a rule, its encoded check, its encoded messageExpression, and the encoded expressions of its fixes; each may be empty.
// The test of this package writes the file from the rule files and checks that it is current.
const precompiledFile = "lint/checked.tsv"

// encoded are the expressions of a rule in encoded form, "" if it has none.
type encoded struct {
	check, message string
	fixes          string // with a tab between two
}

// precompiled returns the encoded expressions of embedded rules by id. It is empty if they have another version of the
// encoding.
var precompiled = sync.OnceValue(func() map[diag.Rule]encoded {
	expressions := map[diag.Rule]encoded{}
	version, lines, _ := strings.Cut(rules.LintChecked, "\n")
	if version != closure.Version {
		return expressions
	}
	for line := range strings.Lines(lines) {
		id, flat, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		check, rest, _ := strings.Cut(flat, "\t")
		message, fixes, _ := strings.Cut(rest, "\t")
		expressions[diag.Rule(id)] = encoded{check, message, fixes}
	}
	return expressions
})
