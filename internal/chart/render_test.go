package chart

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readChart reads the files of a chart.
func readChart(t *testing.T, dir string) (files []File) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, IgnoreFile))
	if err != nil {
		t.Fatal(err)
	}
	ignores := ParseIgnores(string(text))
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case ignores.Match(name, d.IsDir()) && d.IsDir():
			return fs.SkipDir
		case d.IsDir() || ignores.Match(name, false):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		files = append(files, File{name, string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var separator = regexp.MustCompile("(?:^|\\s*\n)---\\s*") // as in Helm's pkg/releaseutil/manifest.go

// documents returns the documents of each template, sorted, because Helm sorts them by kind.
func documents(outputs []Output) map[string][]string {
	byName := map[string][]string{}
	for _, o := range outputs {
		for _, document := range separator.Split(strings.TrimSpace(o.Source.Text), -1) {
			if document = strings.TrimSpace(document); document != "" {
				byName[o.Name] = append(byName[o.Name], document)
			}
		}
		slices.Sort(byName[o.Name])
	}
	return byName
}

// The output was recorded with 'helm template testdata/all --kube-version v1.34.0' of Helm 3.19.0.
func TestTheOutputIsThatOfHelm(t *testing.T) {
	recorded, err := os.ReadFile(filepath.Join("testdata", "all.want"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for document := range strings.SplitSeq("\n"+string(recorded), "\n---\n# Source: ") {
		if name, text, ok := strings.Cut(document, "\n"); ok {
			want[name] = append(want[name], strings.TrimSpace(text))
			slices.Sort(want[name])
		}
	}
	r := Render("testdata/all", readChart(t, filepath.Join("testdata", "all")),
		Options{Kubernetes: 34, Release: UnnamedRelease})
	if len(r.Violations) > 0 {
		t.Fatalf("%s: %s", r.Violations[0].Place, r.Violations[0].Message)
	}
	have := documents(r.Outputs)
	for name := range want {
		if !slices.Equal(have[name], want[name]) {
			t.Errorf("%s:\nhave %s\nwant %s", name, strings.Join(have[name], "\n---\n"), strings.Join(want[name], "\n---\n"))
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: Helm writes nothing", name)
		}
	}
}

func TestTheOutputOfAnArchiveIsThatOfTheDirectory(t *testing.T) {
	files := readChart(t, filepath.Join("testdata", "all"))
	unpacked, err := Unpack(string(pack(t, "all", files)))
	if err != nil {
		t.Fatal(err)
	}
	var withArchive, sub []File
	for _, f := range unpacked {
		if rest, ok := strings.CutPrefix(f.Name, "charts/store/"); ok {
			sub = append(sub, File{rest, f.Text})
		} else {
			withArchive = append(withArchive, f)
		}
	}
	withArchive = append(withArchive, File{"charts/store-0.1.4.tgz", string(pack(t, "store", sub))})
	want := Render("a", files, Options{Kubernetes: 34})
	for _, list := range [][]File{unpacked, withArchive} {
		have := Render("a", list, Options{Kubernetes: 34})
		if len(have.Outputs) != len(want.Outputs) || len(have.Outputs) == 0 {
			t.Fatalf("have %d outputs, want %d: %v", len(have.Outputs), len(want.Outputs), have.Violations)
		}
		for i := range have.Outputs {
			if have.Outputs[i].Source.Text != want.Outputs[i].Source.Text {
				t.Errorf("%s differs", have.Outputs[i].Name)
			}
		}
	}
	last := Render("a", withArchive, Options{Kubernetes: 34}).Outputs
	i := slices.IndexFunc(last, func(o Output) bool { return path.Base(o.Name) == "store.yaml" })
	if have, want := last[i].Source.Name, "a/charts/store-0.1.4.tgz/templates/store.yaml"; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}
