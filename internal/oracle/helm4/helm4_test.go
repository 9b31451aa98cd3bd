package helm4

import (
	"flag"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/test/outputtest"
)

var (
	update = flag.Bool("update", false, "write the output of Helm 4 into the cases")
	charts = flag.String("charts", "", "a `DIRECTORY` below which each chart is rendered by Helm 4 and kindvet")
)

// output returns what a chart writes as text, or why it fails.
func output(texts map[string]string, err error) string {
	if err != nil {
		return "error: " + strings.Join(strings.Fields(err.Error()), " ") + "\n"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if text := strings.TrimSpace(texts[name]); text != "" {
			b.WriteString("# " + path.Base(name) + "\n" + text + "\n")
		}
	}
	return b.String()
}

// Each case is a chart, with the output of both versions.
func TestTheCasesHaveTheOutputOfHelm4(t *testing.T) {
	Quiet()
	outputtest.Compare(t, "../../chart/testdata/versions", "helm4", *update, func(files []txtar.File) string {
		dir := t.TempDir()
		if err := txtar.Write(&txtar.Archive{Files: files}, dir); err != nil {
			t.Fatal(err)
		}
		return output(Render(dir, 34))
	})
}

// With -charts, it compares the charts of a directory. Those that call functions such as randAlphaNum, whose result is not
// always the same, differ.
func TestChartsHaveTheSameOutput(t *testing.T) {
	if *charts == "" {
		t.Skip("no -charts")
	}
	Quiet()
	finder, err := find.New(find.Options{Base: find.OnDisk(*charts), Paths: []string{"."}, NoConfig: true, NoIgnore: true, Charts: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := finder.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compared, failed := 0, 0
	for _, f := range found.Files {
		if f.Kind != find.Chart {
			continue
		}
		files, err := f.ReadChart(found.Tree)
		if err != nil {
			continue
		}
		r := chart.Render(f.Abs, files, chart.Options{Kubernetes: 34, Release: chart.UnnamedRelease, SkipsSchema: true})
		if slices.ContainsFunc(r.Violations, func(v diag.Violation) bool { return v.Rule == diag.MissingDependency }) {
			continue // which Helm notices in other code
		}
		texts, err := Render(f.Abs, 34)
		compared++
		if r.IsFailed || err != nil {
			failed++
			if r.IsFailed != (err != nil) {
				t.Errorf("%s: kindvet fails %t %v, Helm 4: %v", f.Abs, r.IsFailed, messages(r), err)
			}
			continue
		}
		have := map[string]string{}
		for _, o := range r.Outputs {
			have[o.Name] = strings.TrimSpace(o.Source.Text)
		}
		for name, text := range texts {
			if text = strings.TrimSpace(text); text != have[name] && !strings.HasSuffix(name, "NOTES.txt") {
				t.Errorf("%s: %s: %s", f.Abs, name, firstDifference(have[name], text))
			}
		}
	}
	t.Logf("%d charts, of which %d fail", compared, failed)
}

func messages(r chart.Rendered) (list []string) {
	for i := range r.Violations {
		list = append(list, r.Violations[i].Message)
	}
	return list
}

func firstDifference(have, want string) string {
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "have " + strings.TrimSpace(a[i]) + ", Helm 4 " + strings.TrimSpace(b[i])
		}
	}
	return "one has more lines"
}
