package lint

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/rules"
)

// precompiledFile holds the checks of the embedded rules as they leave CEL's checker. If such a check is true,
// neither the rule file nor a compiler is needed. The first line is the version of the encoding. Each further line
// has the id of a rule and its encoded check. The test of this package writes the file from the rule files and
// checks that it is current.
const precompiledFile = "lint/checked.tsv"

// precompiled returns the encoded checks of embedded rules by id. It is empty if they have another version of the
// encoding.
var precompiled = sync.OnceValue(func() map[diag.Rule]string {
	checks := map[diag.Rule]string{}
	version, lines, _ := strings.Cut(rules.LintChecked, "\n")
	if version != closure.Version {
		return checks
	}
	for line := range strings.Lines(lines) {
		id, flat, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		checks[diag.Rule(id)] = flat
	}
	return checks
})
