package find

import "testing"

func TestWorkingDirectoryOfACommand(t *testing.T) {
	for _, c := range []struct {
		text, dir string
		joins     bool
		want      string
	}{
		{"cd a/b && kustomize", "", true, "a/b"},
		{"cd b", "a", true, "a/b"},
		{"cd ../b", "a/c", true, "a/b"},
		{"cd b", "a", false, "b"},
		{"cd $ROOT/b", "a", true, "$ROOT/b"},
		{"cd $(DIR)", "a", true, "$(DIR)"},
		{"(cd ö; x)", "", true, "ö"},
		{`pushd "a b"`, "", true, "a"}, // a space is rare
		{"popd", "a", true, ""},
		{"cd -", "a", true, ""},
		{"working-directory: a/b", "", false, "a/b"},
		{"echo abcd x", "a", true, "a"},
	} {
		if have := directoryAfter(c.text, c.dir, c.joins); have != c.want {
			t.Errorf("%q in %q: have %q, want %q", c.text, c.dir, have, c.want)
		}
	}
}

func TestDirectoriesThatACommandMayMean(t *testing.T) {
	for _, c := range []struct {
		name, dir string
		want      bool
	}{
		{"", "/r/s/t", true},
		{".", "/r/s/t", true},
		{"", "/r/s", false},
		{"a", "/r/s/t/a", true},
		{"a", "/r/a", true}, // from the top
		{"a", "/r/b/a", false},
		{"../a", "/r/s/a", true},
		{"../../../a", "/a", false},
		{"$X/a", "/r/a", true},
		{"$X/a", "/r/b/a", false},
		{"$X", "/r/a", false},
		{"a/$X/b", "/r/a/x/b", true},
		{"a/$X/b", "/r/a/x/y/b", false},
		{"/a", "/r/a", true},
		{"größe", "/r/größe", true},
	} {
		if have := mayBe("/r", "/r/s/t/run.sh", c.name, c.dir); have != c.want {
			t.Errorf("%q is %s: have %t, want %t", c.name, c.dir, have, c.want)
		}
	}
}
