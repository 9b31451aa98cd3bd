package find

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		f := File{Name: "chart", Abs: dir, IsChart: true, top: dir}
		if _, err := f.ReadChart(Disk{}); (err == nil) != want {
			t.Errorf("%d bytes of patterns: have %v", size, err)
		}
	}
}
