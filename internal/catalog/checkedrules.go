package catalog

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/validations"
)

// checkedFile holds the type-checked expressions of the rules of the kinds of Kubernetes, so running them needs no
// compiler. The first line has the version of the encoding. Every other line has a hash of the text of an expression,
// "old" if it reads the value before an update or otherwise "-", the fields that it reads or "-", and its encoded form.
// The test of this package generates and verifies it.
const checkedFile = kubernetesDir + "checked.tsv"

// checkedRules returns the checked expressions by the hashes of their texts.
var checkedRules = sync.OnceValue(func() map[string]string {
	version, rest, _ := strings.Cut(kubernetesFile("checked.tsv"), "\n")
	all := map[string]string{}
	if version != closure.Version {
		return all
	}
	for line := range strings.Lines(rest) {
		hash, checked, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all[hash] = checked
	}
	return all
})

// checkedRule returns the checked form of an expression.
func checkedRule(text string) (validations.Checked, bool) {
	line, ok := checkedRules()[hashOf(text)]
	if !ok {
		return validations.Checked{}, false
	}
	old, rest, _ := strings.Cut(line, "\t")
	fields, encoded, _ := strings.Cut(rest, "\t")
	c := validations.Checked{Encoded: encoded, UsesOld: old == "old"}
	if fields != "-" {
		c.Fields = strings.Split(fields, ",")
	}
	return c, true
}

func hashOf(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf("%016x", h.Sum64())
}

// checkedLines returns the content of checkedFile for the rules of all types in all versions of Kubernetes. The error
// names what is wrong with a rule.
func checkedLines(types []*schema.Schema) (string, error) {
	lines := map[string]string{}
	for _, s := range types {
		rules, err := validations.CheckNative(s)
		if err != nil {
			return "", err
		}
		for text, c := range rules {
			old, fields := "-", "-"
			if c.UsesOld {
				old = "old"
			}
			if len(c.Fields) > 0 {
				fields = strings.Join(c.Fields, ",")
			}
			line := strings.Join([]string{old, fields, c.Encoded}, "\t")
			if other, ok := lines[hashOf(text)]; ok && other != line {
				return "", fmt.Errorf("write %q in another way: it means something else in another type", text)
			}
			lines[hashOf(text)] = line
		}
	}
	var sorted []string
	for hash, line := range lines {
		sorted = append(sorted, hash+"\t"+line+"\n")
	}
	slices.Sort(sorted)
	return closure.Version + "\n" + strings.Join(sorted, ""), nil
}
