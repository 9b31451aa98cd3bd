package mutants

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A text that is no longer in its file would be a break that nobody tries.
func TestEachBreakIsInItsFile(t *testing.T) {
	list, err := readBreaks("breaks")
	if err != nil {
		t.Fatal(err)
	}
	names, byFile := map[string]bool{}, map[string][]mutant{}
	for _, m := range list {
		if names[m.name] {
			t.Errorf("%s: a second break has the name %s", m.at, m.name)
		}
		names[m.name] = true
		if m.was == "" || m.was == m.is || m.harm == "" {
			t.Errorf("%s: %s: want what a user would see, the text and another one", m.at, m.name)
		}
		byFile[m.file] = append(byFile[m.file], m)
	}
	for file, breaks := range byFile {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Errorf("%s: %v", breaks[0].at, err)
			continue
		}
		for _, m := range breaks { // one at a time, so that each is named
			patched, err := patch(file, string(text), []mutant{m})
			if err != nil {
				t.Error(err)
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), file, patched, parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: %s: %v", m.at, m.name, err)
			}
		}
	}
	if len(list) < least {
		t.Errorf("%d breaks, want at least %d", len(list), least)
	}
}

// least is the number of breaks below which the list says little.
const least = 200

func TestABreakIsADetourOfItsFunction(t *testing.T) {
	const text = `package a

func sum(of ...int) (total int, err error) {
	for _, n := range of {
		if n < 0 {
			continue
		}
		total += n
	}
	return total, nil
}

func (c *cache) reset(int) { c.n = 0 }
`
	list, err := parseBreaks("a.txt", `
== a/a.go sum-zero
the total is too high

-if n < 0 {
-continue
-}
+
== a/a.go reset
a cache lives on
-c.n = 0
+c.n++
`)
	if err != nil {
		t.Fatal(err)
	}
	have, err := patch("a.go", text, list)
	if err != nil {
		t.Fatal(err)
	}
	want := `package a

func sum(of ...int) (total int, err error) {
if mutant_sum_zero { return func(of ...int) (total int, err error) {
	for _, n := range of {
` + "\t\t" + `
		total += n
	}
	return total, nil
}(of...) }

	for _, n := range of {
		if n < 0 {
			continue
		}
		total += n
	}
	return total, nil
}

func (c *cache) reset(int) {
if mutant_reset { func() { c.n++ }()
return }
 c.n = 0 }
`
	if have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
	for _, wrong := range []string{"c", "package a", "missing"} {
		list[0].was = wrong
		if _, err := patch("a.go", text, list[:1]); err == nil {
			t.Errorf("%q: no error, although it is not exactly once in a function", wrong)
		}
	}
}

func TestEntriesNeedAHeading(t *testing.T) {
	for _, text := range []string{"-was\n", "== file.go\n", "== a file.go name\n"} {
		if _, err := parseBreaks("a.txt", text); err == nil || !strings.HasPrefix(err.Error(), "a.txt:1: ") {
			t.Errorf("%q: have %v", text, err)
		}
	}
}
