package fix

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/workspace"
)

// inDir returns the options of a run in a directory with the files of an archive. The program is not run in it, so names
// are those of the archive.
func inDir(t *testing.T, files []txtar.File, paths ...string) Options {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	var o Options
	o.Check.Files.Base, o.Check.Files.Paths = find.OnDisk(dir), paths
	return o
}

// Each case is an archive: the comment has the options, after them the declined fixes, one on a line, and the number of
// reports that may be made. Files in after are the changed ones.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, jobs := range []int{1, 3} {
				var before []txtar.File
				after := map[string]string{}
				for _, f := range a.Files {
					if changed, ok := strings.CutPrefix(f.Name, "after/"); ok {
						after[changed] = string(f.Data)
					} else {
						before = append(before, f)
					}
				}
				var o Options
				o.Check.Files.Paths = []string{"."}
				o.Check.Jobs = jobs
				trials := maxTrials
				var declined []string
				for line := range strings.Lines(string(a.Comment)) {
					switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
					case "unsafe":
						o.Unsafe = true
					case "lint":
						o.Check.Settings.Lint.Profile = "all"
					case "rules":
						for rule := range strings.FieldsSeq(value) {
							o.Rules = append(o.Rules, diag.Rule(rule))
						}
					case "profile":
						o.Check.Settings.Lint.Profile = value
					case "crlf", "cut": // files with other line breaks, and without the last one
						for i := range before {
							if slices.Contains(strings.Fields(value), before[i].Name) {
								before[i].Data = []byte(rewritten(key, string(before[i].Data)))
							}
						}
						for name := range strings.FieldsSeq(value) {
							if text, ok := after[name]; ok {
								after[name] = rewritten(key, text)
							}
						}
					case "path":
						o.Check.Files.Paths = []string{value}
					case "trials":
						if _, err := fmt.Sscan(value, &trials); err != nil {
							t.Fatal(err)
						}
					case "declined":
						declined = append(declined, value)
					}
				}
				o.Check.Files.Base = inDir(t, before).Check.Files.Base
				result, err := run(t.Context(), o, trials)
				if err != nil {
					t.Fatal(err)
				}
				wantChanges(t, result.Changes, after)
				var have []string
				for _, d := range result.Declined {
					have = append(have, fmt.Sprintf("%s:%d %s: %s", d.Finding.Place.File, d.Finding.Place.Start().Line, d.Finding.Rule, d.Why))
				}
				if !slices.Equal(have, declined) {
					t.Errorf("declined: have %q, want %q", have, declined)
				}
				if trials == maxTrials {
					wantNothingLeft(t, o, &result)
				}
			}
		})
	}
}

// rewritten returns a text with other line breaks, or without the last one.
func rewritten(how, text string) string {
	if how == "crlf" {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return strings.TrimSuffix(text, "\n")
}

func wantChanges(t *testing.T, changes []Change, after map[string]string) {
	t.Helper()
	isChanged := map[string]bool{}
	for _, c := range changes {
		isChanged[c.Name] = true
		if want, ok := after[c.Name]; !ok {
			t.Errorf("%s: must stay; have\n%s", c.Name, c.After)
		} else if c.After != want {
			t.Errorf("%s: have\n%s\nwant\n%s", c.Name, c.After, want)
		}
	}
	for name := range after {
		if !isChanged[name] {
			t.Errorf("%s: is not changed", name)
		}
	}
}

// wantNothingLeft writes the changes, and fails if a second run changes anything.
func wantNothingLeft(t *testing.T, o Options, result *Result) {
	t.Helper()
	for i := range result.Changes {
		if err := result.Changes[i].Write(); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Changes) > 0 || len(again.Report.Report.Violations) != len(result.Report.Report.Violations) {
		t.Errorf("a second run changes %d files, and has %d findings instead of %d", len(again.Changes),
			len(again.Report.Report.Violations), len(result.Report.Report.Violations))
	}
}

func TestStandardInputIsFixed(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n"
	o := Options{Stdin: text}
	o.Check.Files.Base, o.Check.Files.Paths = find.OnDisk(t.TempDir()), []string{"-"}
	result, err := Run(t.Context(), o)
	if want := strings.Replace(text, "1}", `"1"}`, 1); err != nil || result.Stdin != want || len(result.Fixed) != 1 {
		t.Errorf("have %q %v, want %q", result.Stdin, err, want)
	}
	o.Stdin = result.Stdin
	if again, err := Run(t.Context(), o); err != nil || again.Stdin != o.Stdin || len(again.Changes) > 0 {
		t.Errorf("have %q %v", again.Stdin, err)
	}
}

// Many faults and edits take about as long for each as a few: they are looked up, not searched.
func TestManyFixesOfADocumentAreMadeTogether(t *testing.T) {
	var text strings.Builder
	text.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n")
	const count = 5000
	for i := range count {
		fmt.Fprintf(&text, "  key%d: %d\n", i, i)
	}
	o := inDir(t, []txtar.File{{Name: "a.yaml", Data: []byte(text.String())}}, "a.yaml")
	result, err := Run(t.Context(), o)
	if err != nil || len(result.Fixed) != count || len(result.Declined) > 0 {
		t.Errorf("have %d fixed, %d declined, %v", len(result.Fixed), len(result.Declined), err)
	}
}

func TestACanceledRunEnds(t *testing.T) {
	o := inDir(t, []txtar.File{{Name: "a.yaml", Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n")}}, ".")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, o); err == nil {
		t.Error("no error")
	}
}

// A file that the user has not named is not changed, even if the report is about it.
func TestOnlyNamedFilesAreChanged(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/b.yaml", "a/c.yaml", "ab/d.yaml", "ü/e.yaml"} {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), "")
	}
	for _, c := range []struct {
		paths []string
		path  string
		want  bool
	}{
		{[]string{"a"}, "a/b.yaml", true},
		{[]string{"a"}, "ab/d.yaml", false},
		{[]string{"a/b.yaml"}, "a/b.yaml", true},
		{[]string{"a/b.yaml"}, "a/c.yaml", false},
		{[]string{"ab", "a/*.yaml"}, "a/c.yaml", true},
		{[]string{"a/b*"}, "a/c.yaml", false},
		{[]string{"**/e.yaml"}, "ü/e.yaml", true},
		{[]string{"."}, "ü/e.yaml", true},
		{[]string{"a/../ab"}, "ab/d.yaml", true},
	} {
		r := runner{options: Options{Check: workspace.Options{Files: find.Options{Base: find.OnDisk(dir), Paths: c.paths}}}}
		if have := r.covers(filepath.Join(dir, filepath.FromSlash(c.path))); have != c.want {
			t.Errorf("%s in %q: have %v", c.path, c.paths, have)
		}
	}
}

func TestAFileThatIsGoneIsNotChanged(t *testing.T) {
	o := inDir(t, nil, ".")
	r := runner{options: o, originals: map[string]*Change{}}
	if _, why := r.original(t.Context(), "a.yaml"); why != whyChanged {
		t.Errorf("have %q", why)
	}
	if err := os.Mkdir(filepath.Join(o.Check.Files.Base.Dir, "b.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, why := r.original(t.Context(), "b.yaml"); why != whyChanged {
		t.Errorf("a directory: have %q", why)
	}
	if _, why := r.original(t.Context(), "../c.yaml"); why != whyNotChecked {
		t.Errorf("a file outside: have %q", why)
	}
}
