package lint

import (
	"io/fs"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/rules"
)

// precompiledFile holds the checks of the embedded rules as they leave CEL's checker, so that neither a rule file
// need be read nor a compiler started for what they find true: for each rule a line of its id and its check in the
// flat form of expr, below the version of that form. It is written from the rule files, and held true, by the test of
// this package.
const precompiledFile = "lint/checked.tsv"

// precompiled returns the checks of embedded rules by id; none where they are in another version of the flat form.
var precompiled = sync.OnceValue(func() map[diag.Rule]string {
	text, err := fs.ReadFile(rules.Lint, precompiledFile)
	if err != nil {
		panic("the checks of lint rules are embedded: " + err.Error())
	}
	checks := map[diag.Rule]string{}
	version, lines, _ := strings.Cut(string(text), "\n")
	if version != closure.Version {
		return checks
	}
	for line := range strings.Lines(lines) {
		id, flat, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		checks[diag.Rule(id)] = flat
	}
	return checks
})
