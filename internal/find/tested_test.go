package find

import (
	"path/filepath"
	"testing"
)

func TestNamesOfTests(t *testing.T) {
	for name, want := range map[string]bool{
		"/r/a/load_test.go": true, "/r/a/test_load.py": true, "/r/a/conftest.py": true, "/r/a/load.spec.ts": true,
		"/r/a/load.bats": true, "/r/a/Makefile": false, "/r/tests/Makefile": true, "/r/a/load.go": false,
		"/r/a/contest.py": false, "/r/a/deploy.sh": false, "/r/e2e/run.sh": true,
	} {
		dir, base := filepath.Split(name)
		if have := isTest(filepath.Clean(dir), base); have != want {
			t.Errorf("%s: have %v", name, have)
		}
	}
}

func TestANameIsAWholePartOfAPath(t *testing.T) {
	for text, want := range map[string]bool{
		`"../testdata/a.yaml"`: true, "testdata": true, "_testdata": false, "testdata2": false, "mytestdata testdata/": true, "": false,
	} {
		if have := namesPart(text, "testdata"); have != want {
			t.Errorf("%q: have %v", text, have)
		}
	}
}
