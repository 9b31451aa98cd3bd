package find

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
)

// Each pattern is compared with each name. Together they may be too many.
func TestComparingTheFilesOfAChartWithItsPatternsHasALimit(t *testing.T) {
	for size, want := range map[int]bool{1 << 10: true, 1 << 20: false} {
		dir := t.TempDir()
		for i := range 20 {
			name := filepath.Join(dir, fmt.Sprintf("%s%d.yaml", strings.Repeat("x", 60), i))
			if err := os.WriteFile(name, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		patterns := strings.Repeat("*a*b\n", size/5)
		if err := os.WriteFile(filepath.Join(dir, ".helmignore"), []byte(patterns), 0o644); err != nil {
			t.Fatal(err)
		}
		f := File{Name: "chart", Abs: dir, Kind: Chart, top: dir}
		if _, err := f.ReadChart(Disk{}); (err == nil) != want {
			t.Errorf("%d bytes of patterns: have %v", size, err)
		}
	}
}

// reads counts the files that are read below a directory.
type reads struct {
	Disk
	below string
	count int
}

func (r *reads) Read(path string, use disk.Use) (string, error) {
	if strings.HasPrefix(path, r.below) {
		r.count++
	}
	return r.Disk.Read(path, use)
}

// A directory is read once for a chart, however it is written, and not at all when the charts of a run have used up
// their allowance.
func TestDependenciesInOtherDirectoriesUseTheAllowance(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	if err := os.Mkdir(store, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "apiVersion: v2\nname: store\nversion: 1.0.0\n"
	if err := os.WriteFile(filepath.Join(store, "Chart.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	files := []chart.File{{Name: "Chart.yaml", Text: "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n" +
		"- {name: store, version: 1.0.0, repository: \"file://../store\"}\n" +
		"- {name: shelf, version: 1.0.0, repository: \"file://../shop/../store\"}\n"}}
	f := File{Name: "shop", Abs: filepath.Join(dir, "shop"), Kind: Chart, top: dir}
	a := &chart.Allowance{}
	for _, c := range []struct {
		spent, reads int
		isUsedUp     bool
	}{
		{0, 2, false}, // .helmignore and Chart.yaml
		{chart.MaxChart - 2000, 2, true},
		{0, 0, true},
	} {
		a.SpendFiles(c.spent)
		tree := &reads{below: store}
		f.LoadChart(tree, files, a)
		if tree.count != c.reads || a.IsUsedUp() != c.isUsedUp {
			t.Errorf("%+v: have %d reads, used up %t", c, tree.count, a.IsUsedUp())
		}
	}
}

// Names are compared with the patterns of a .helmignore up to a limit. What was compared before counts.
func TestComparingNamesWithAHelmignoreIsLimited(t *testing.T) {
	root := tree(t, map[string]string{"Chart.yaml": "", "ä.yaml": ""})
	ignores := chart.ParseIgnores("*.txt\nb/*\n")
	needed := ignores.Steps("ä.yaml") + ignores.Steps("Chart.yaml")
	for steps, want := range map[int]error{1<<29 - needed: nil, 1<<29 - needed + 1: errIgnores} {
		r := &chartReader{tree: Disk{}, file: &File{Name: "c", Abs: root}, ignores: ignores, steps: steps}
		err := r.directory("", 0)
		if !errors.Is(err, want) || want != nil && !strings.Contains(err.Error(), "c/.helmignore") {
			t.Errorf("after %d steps: have %v, want %v", steps, err, want)
		}
		if want == nil && (len(r.files) != 2 || r.cost() < chart.MaxChart) {
			t.Errorf("have %d files, which cost %d", len(r.files), r.cost())
		}
	}
}
