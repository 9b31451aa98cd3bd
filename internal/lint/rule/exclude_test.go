package rule

import "testing"

func TestARuleExcludesFiles(t *testing.T) {
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{".github/", ".github/a.yaml", true},
		{"github/", ".github/a.yaml", false},
		{"test/", "./test/a.yaml", true},
		{"test/", "../../test/a.yaml", true},
		{"test/", `deploy\test\a.yaml`, true},
		{"/a.yaml", "a.yaml", true},
		{"/a.yaml", "deploy/a.yaml", false},
		{"a.yaml", "/home/shop/a.yaml", true},
	} {
		r := Rule{}
		r.Exclude = []string{c.pattern}
		if have := r.Excludes(c.file); have != c.want {
			t.Errorf("%s excludes %s: %v", c.pattern, c.file, have)
		}
	}
}
