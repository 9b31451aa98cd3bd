package cli

import (
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/store"
)

// The name of a path in the lock file is the same in every directory. A user types it relative to the working
// directory.
func TestPathsAreNamedRelativeToTheStore(t *testing.T) {
	root := t.TempDir()
	outside := t.TempDir()
	h := storedSchemas{find.OnDisk(filepath.Join(root, "sub")), store.Store{Base: root}}
	for _, c := range []struct{ typed, name, again string }{
		{"crds", "sub/crds", "crds"},
		{"./crds/", "sub/crds", "crds"},
		{"..", ".", ".."},
		{"../crds.yaml", "crds.yaml", "../crds.yaml"},
		{"../cluster", "./cluster", "../cluster"},
		{"./cluster", "sub/cluster", "./cluster"},
		{"../../crds", "../crds", "../../crds"},
		{filepath.Join(root, "crds"), "crds", "../crds"},
		{outside, outside, outside},
	} {
		name := h.nameInLock(c.typed)
		if again := h.typed(store.Source{Name: name}); name != c.name || again != c.again {
			t.Errorf("%s: %s in the lock file, typed as %s; want %s and %s", c.typed, name, again, c.name, c.again)
		}
	}
}

func TestASourceIsTypedAsItWasAdded(t *testing.T) {
	var h storedSchemas
	for want, s := range map[string]store.Source{
		"cluster":                           {Name: "cluster"},
		"cert-manager@v1.16.2":              {Name: "cert-manager", Version: "v1.16.2", From: "x"},
		"https://example.com/a.tgz//crds":   {Name: "https://example.com/a.tgz//crds", From: "x"},
		"git+https://example.com/r@v1":      {Name: "git+https://example.com/r", Version: "v1", From: "x"},
		"git+https://example.com/r@v1//a/b": {Name: "git+https://example.com/r//a/b", Version: "v1", From: "x"},
	} {
		if have := h.typed(s); have != want || !h.isNamed(s, have) || !h.isNamed(s, s.Name) || h.isNamed(s, "other") {
			t.Errorf("%+v: %s, want %s", s, have, want)
		}
	}
}

// Users copy commands. A name in a lock file must not become another command.
func TestASourceIsOneWordOfAShell(t *testing.T) {
	for text, want := range map[string]string{
		"git+https://example.com/r@v1//a_b": "git+https://example.com/r@v1//a_b",
		"my crds":                           "'my crds'",
		"a;b":                               "'a;b'",
		"$(a)`b`":                           "'$(a)`b`'",
		"a'; b '":                           `'a'\''; b '\'''`,
		"~":                                 "'~'",
		"a\nb":                              "'a\nb'",
		"":                                  "''",
	} {
		if have := inShell(text); have != want {
			t.Errorf("%q: %s, want %s", text, have, want)
		}
	}
}
