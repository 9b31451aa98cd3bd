package git

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFileHasThePathToWhichItsLinksLead(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{".git", "sub"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "sub", "real.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link.yaml": filepath.Join("sub", "real.yaml"), "folder": "sub"} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]string{
		"link.yaml": "sub/real.yaml", "folder/real.yaml": "sub/real.yaml", "sub/real.yaml": "sub/real.yaml",
		"sub/piped.yaml": "sub/piped.yaml",
	} {
		if have, ok := (&Finder{}).Path(filepath.Join(top, filepath.FromSlash(name))); !ok || have != want {
			t.Errorf("%s: have %q, %v, want %q", name, have, ok, want)
		}
	}
}
