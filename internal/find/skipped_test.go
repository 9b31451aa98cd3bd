package find

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// What is read in hidden directories has a limit. A directory that exceeds it counts itself.
func TestReadingHiddenDirectoriesHasALimit(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		name := filepath.Join(dir, ".x", fmt.Sprintf("%d.yaml", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		entries int
		bytes   int64
		want    string
	}{
		{0, 0, "[.x/0.yaml .x/1.yaml .x/2.yaml]"}, {maxHiddenEntries - 3, 0, "[.x/0.yaml .x/1.yaml .x/2.yaml]"},
		{maxHiddenEntries - 2, 0, "[.x/0.yaml .x/1.yaml .x/]"}, {maxHiddenEntries, 0, "[.x/]"},
		{0, maxHiddenBytes, "[.x/0.yaml .x/]"}, {0, maxHiddenBytes + 1, "[.x/]"},
	} {
		s := &search{finder: &Finder{options: Options{Base: OnDisk(dir)}}, hiddenEntries: c.entries, hiddenBytes: c.bytes}
		if have := fmt.Sprint(s.hiddenIn(walked{path: ".x", full: filepath.Join(dir, ".x")})); have != c.want {
			t.Errorf("after %d entries and %d bytes: have %s, want %s", c.entries, c.bytes, have, c.want)
		}
	}
}
