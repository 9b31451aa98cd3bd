package changes

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the command prints")

// small returns the two small versions and the archive with them.
func small(t *testing.T) (old, new *release, archive *txtar.Archive) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "small.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var both [2]*release
	for i, version := range []string{"old", "new"} {
		dirs := directories{}
		for _, name := range []string{"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/kubernetes"} {
			dirs[name] = filepath.Join(dir, version, filepath.FromSlash(name))
		}
		if both[i], err = read(dirs, 36+i); err != nil {
			t.Fatal(err)
		}
	}
	return both[0], both[1], archive
}

func text(old, new *release) string {
	var out bytes.Buffer
	compare(old, new).write(&out, true)
	return out.String()
}

func TestEachDifferenceIsPrinted(t *testing.T) {
	old, new, archive := small(t)
	have := text(old, new)
	want := &archive.Files[len(archive.Files)-1]
	if *update {
		want.Data = []byte(have)
		if err := os.WriteFile(filepath.Join("testdata", "small.txtar"), txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have != string(want.Data) {
		t.Errorf("have\n%s\nwant\n%s", have, want.Data)
	}
}

func TestAVersionDoesNotDifferFromItself(t *testing.T) {
	old, _, _ := small(t)
	for line := range strings.Lines(text(old, old)) {
		if line != "\n" && (!strings.HasPrefix(line, "# ") || !strings.HasSuffix(line, ": 0\n")) {
			t.Errorf("%q", line)
		}
	}
}

func TestTheReverseIsAMirror(t *testing.T) {
	old, new, _ := small(t)
	checkMirror(t, old, new)
}

// The recipe of docs/contributing.md for a new minor version begins with this comparison.
func TestTheReverseOfAMinorVersionIsAMirror(t *testing.T) {
	var both [2]*release
	for i, version := range []string{"1.36.3", "1.37.2"} {
		dirs, minor, err := modulesOf(version, false)
		if err != nil {
			t.Skip(err) // the modules are a large download
		}
		if both[i], err = read(dirs, minor); err != nil {
			t.Fatal(err)
		}
	}
	checkMirror(t, both[0], both[1])
	have := text(both[0], both[1])
	for _, want := range []string{
		"\n+ certificates.k8s.io/v1 ClusterTrustBundle: on\n",
		"\n- scheduling.k8s.io/v1alpha2 PodGroup: off\n",
		"\n~ HPAScaleToZero: alpha, off -> beta, on\n",
		"\n+ EmptyDirVolumeSource.mode *int32? (v1)  core/v1/types.go:",
		"\n    ~ alpha -> beta +k8s:required\n",
		"\n~ validation.ValidateStatefulSetUpdate (StatefulSet)  pkg/apis/apps/validation/validation.go:238 -> :245 ",
		"\n    - by hand :268 Forbidden(field.NewPath(\"spec\"), \"updates to statefulset spec for fields other than ",
	} {
		if !strings.Contains(have, want) {
			t.Errorf("no line %q", want)
		}
	}
}

// checkMirror checks that what is new in one direction is gone in the other one.
func checkMirror(t *testing.T, old, new *release) {
	t.Helper()
	there, back := signs(compare(old, new), "+-"), signs(compare(new, old), "-+")
	if !slices.Equal(there, back) {
		for _, line := range there {
			if !slices.Contains(back, line) {
				t.Errorf("only there: %s", line)
			}
		}
		for _, line := range back {
			if !slices.Contains(there, line) {
				t.Errorf("only back: %s", line)
			}
		}
	}
}

// signs returns the changes without places, with the signs of what is new and what is gone.
func signs(r *report, newAndGone string) []string {
	sign := strings.NewReplacer("+", newAndGone[:1], "-", newAndGone[1:])
	var lines []string
	add := func(parent string, changes []change) {
		for _, c := range changes {
			name := c.name
			if c.sign == "~" {
				name, _, _ = strings.Cut(name, " ") // the types have another order
			}
			lines = append(lines, parent+sign.Replace(c.sign)+" "+c.group+" "+name)
		}
	}
	add("", r.kinds)
	add("", r.lifecycles)
	add("", r.gates)
	add("", r.publicNames)
	for _, c := range r.code {
		add("", []change{c.change})
		add(c.name+": ", c.sites)
		lines = append(lines, fmt.Sprintf("%s: %d lines", c.name, len(c.added)+len(c.taken)))
	}
	lines = append(lines, r.marked...)
	lines = append(lines, r.resigned...)
	slices.Sort(lines)
	return lines
}

func TestAVersionNeedsItsPatch(t *testing.T) {
	for _, v := range []string{"1.37", "37.2", ""} {
		if _, _, err := modulesOf(v, false); err == nil || !strings.Contains(err.Error(), "use one with a patch") {
			t.Errorf("%q: %v", v, err)
		}
	}
}

func TestLinesOfOneTextAreFound(t *testing.T) {
	for _, c := range []struct{ old, new, taken, added string }{
		{"a b c", "a b c", "", ""},
		{"a b c", "a c", "b", ""},
		{"a c", "a b c", "", "b"},
		{"a b c d", "a x c y", "b d", "x y"},
		{"", "a", "", "a"},
		{"a b a b", "b a b a", "a", "a"},
	} {
		taken, added := diffLines(strings.Fields(c.old), strings.Fields(c.new))
		if strings.Join(taken, " ") != c.taken || strings.Join(added, " ") != c.added {
			t.Errorf("%s, %s: have %q, %q", c.old, c.new, taken, added)
		}
	}
}
