package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/validations"
	"github.com/kindvet/kindvet/rules"
)

// precompiledFile holds the type-checked rules of the embedded kinds, so running them needs no compiler. For each file
// it has a line with its name and checksum, followed by a line for each rule: its version and its encoded form
// ([validations.Precompile]). The test of this package generates it from the files and verifies it.
const precompiledFile = "kinds/checked.tsv"

// sumOf returns a checksum of everything that the checked rules of a file depend on: its rules, its schemas and the
// encoding.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(closure.Version + "\n" + text))
	return hex.EncodeToString(sum[:8])
}

// ship gives the kinds of an embedded file their precompiled rules. If the file is not the one that they were made
// from, ship does nothing, and the rules are compiled from their text.
func ship(kinds []*Kind, name, text string) {
	all, err := fs.ReadFile(rules.Kinds, precompiledFile)
	if err != nil {
		panic("the checked rules of kinds are embedded: " + err.Error())
	}
	_, precompiled, ok := strings.Cut(string(all), name+"\t"+sumOf(text)+"\n")
	if !ok {
		return
	}
	byVersion := map[string][]string{}
	for line := range strings.Lines(precompiled) {
		version, flat, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if strings.Contains(version, "/") {
			break // the next file
		}
		byVersion[version] = append(byVersion[version], flat)
	}
	for _, k := range kinds {
		k.Rules.UsePrecompiled(byVersion[k.Version])
	}
}

// precompiledOf returns the lines for one embedded file.
func precompiledOf(kinds []*Kind, name, text string) (string, error) {
	var b strings.Builder
	b.WriteString(name + "\t" + sumOf(text) + "\n")
	for _, k := range kinds {
		list, err := validations.Precompile(k.Schema)
		if err != nil {
			return "", err
		}
		for _, flat := range list {
			b.WriteString(k.Version + "\t" + flat + "\n")
		}
	}
	return b.String(), nil
}
