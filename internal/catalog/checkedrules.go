package catalog

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/validations"
	"github.com/kindvet/kindvet/rules"
)

// checkedFile holds the type-checked expressions of the rules of the kinds of Kubernetes, so running them needs no
// compiler. The first line has the version of the encoding. Every other line has a hash of the text of an expression,
// "old" if it reads the value before an update or otherwise "-", the fields that it reads or "-", and its encoded
// form. The test of this package generates and verifies it.
const checkedFile = kubernetesDir + "checked.tsv"

// checkedRules returns the lines of checkedFile without the first. They are sorted by the hashes of the texts.
var checkedRules = sync.OnceValue(func() string {
	version, lines, _ := strings.Cut(rules.KubernetesChecked, "\n")
	if version != closure.Version {
		return ""
	}
	return lines
})

// checkedLine returns the rest of the line that starts with a hash.
func checkedLine(hash string) (string, bool) {
	lines := checkedRules()
	start := lineFrom(lines, sort.Search(len(lines), func(i int) bool {
		at := lineFrom(lines, i)
		return at == len(lines) || lines[at:at+len(hash)] >= hash
	}))
	rest, ok := strings.CutPrefix(lines[start:], hash+"\t")
	line, _, _ := strings.Cut(rest, "\n")
	return line, ok
}

// checkedRule returns the checked form of an expression.
func checkedRule(text string) (validations.Checked, bool) {
	line, ok := checkedLine(hashOf(text))
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
	_, _ = io.WriteString(h, text)
	return hex.EncodeToString(h.Sum(nil))
}

// checkedLines are the lines of checkedFile without the first, by the hashes of the texts of expressions.
type checkedLines map[string]string

// add adds the rules of a type that skip does not select. The error says what is wrong with a rule.
func (l checkedLines) add(s *schema.Schema, skip func(text string) bool) error {
	rules, err := validations.CheckNative(s, skip)
	if err != nil {
		return err
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
		if other, ok := l[hashOf(text)]; ok && other != line {
			return fmt.Errorf("write %q in another way: it means something else in another type", text)
		}
		l[hashOf(text)] = line
	}
	return nil
}

// file returns the content of checkedFile.
func (l checkedLines) file() string {
	var sorted []string
	for hash, line := range l {
		sorted = append(sorted, hash+"\t"+line+"\n")
	}
	slices.Sort(sorted)
	return closure.Version + "\n" + strings.Join(sorted, "")
}
