package workspace

import (
	"context"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

// Each file in testdata/kinds is checked separately. It must have exactly the violations that its lines want in
// comments ("# want rule rule"). For a JSON file, another file next to it lists them, each as a line number and a
// rule. A directory with old.yaml and new.yaml is an update, and its violations are those of new.yaml. The lint rules
// that a line wants are enabled for its file.
func TestKindsHaveExactlyTheViolationsThatTheirExamplesWant(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "kinds")
	good, bad := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isManifest(path) || d.Name() == "old.yaml" {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		want := wanted(t, path)
		if len(want) == 0 {
			good++
		} else {
			bad++
		}
		if isGood := strings.HasPrefix(d.Name(), "good-") ||
			strings.HasPrefix(filepath.Base(filepath.Dir(path)), "good-"); isGood != (len(want) == 0) {
			t.Errorf("%s: an example is named good- if and only if it wants no violation", name)
		}
		o := Options{Files: find.Options{Paths: []string{path}}, Settings: settings.Options{Lint: lintWanted(want)}}
		if d.Name() == "new.yaml" {
			o.Files.Old = filepath.Join(filepath.Dir(path), "old.yaml")
		}
		have := found(t, o)
		if !slices.Equal(have, want) {
			t.Errorf("%s\n have %s\n want %s", name, strings.Join(have, ", "), strings.Join(want, ", "))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if good == 0 || bad == 0 {
		t.Fatalf("%d good and %d bad examples", good, bad)
	}
	t.Logf("%d good examples, %d bad ones", good, bad)
}

// isManifest reports whether a file has the name of a manifest.
func isManifest(path string) bool {
	return filepath.Ext(path) == ".yaml" || filepath.Ext(path) == ".json"
}

// lintWanted enables the lint rules that lines want.
func lintWanted(want []string) rule.Options {
	var o rule.Options
	for _, line := range want {
		if rule := strings.Fields(line)[1]; strings.Contains(rule, "/") && !slices.Contains(o.Enable, rule) {
			o.Enable = append(o.Enable, rule)
		}
	}
	return o
}

// found returns the findings of a run as "line rule", sorted.
func found(t *testing.T, o Options) []string {
	t.Helper()
	result, err := runHere(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Failures) > 0 {
		t.Fatal(result.Failures[0])
	}
	var list []string
	for _, v := range result.Report.Violations {
		list = append(list, lineAndRule(v.Place.Start().Line, string(v.Rule)))
		checkViolation(t, v)
	}
	slices.Sort(list)
	return list
}

func lineAndRule(line int, rule string) string {
	return strings.Repeat(" ", max(0, 4-len(strconv.Itoa(line)))) + strconv.Itoa(line) + " " + rule
}

// checkViolation checks what is true of every violation.
func checkViolation(t *testing.T, v diag.Violation) {
	t.Helper()
	switch {
	case v.Rule == "" || v.Severity == 0 || v.Message == "":
		t.Errorf("a violation lacks rule, severity or message: %+v", v)
	case v.Place.Start().Line < 1 || v.Place.Start().Column < 1 || v.Place.End().Before(v.Place.Start()):
		t.Errorf("%s: a violation has no place: %+v", v.Message, v.Place)
	case strings.ContainsAny(v.Message+v.Help, "\n\r"):
		t.Errorf("a violation has more than one line: %q %q", v.Message, v.Help)
	}
}

func wanted(t *testing.T, path string) []string {
	t.Helper()
	if filepath.Ext(path) == ".json" {
		return wantedBeside(t, path+".want")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if _, mark, ok := strings.Cut(line, "# want "); ok {
			for _, rule := range strings.Fields(mark) {
				list = append(list, lineAndRule(number, rule))
			}
		}
	}
	slices.Sort(list)
	return list
}

func wantedBeside(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		number, err := strconv.Atoi(fields[0])
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		list = append(list, lineAndRule(number, fields[1]))
	}
	slices.Sort(list)
	return list
}
