package find

import (
	"fmt"
	"path/filepath"
	"strings"
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

// What is not read because of a limit changes nothing.
func TestTheTestsOfAFileHaveLimits(t *testing.T) {
	reader, long := "var dir = \"testdata\"\n", strings.Repeat("x", 1<<20)
	tests := func(count int) map[string]string {
		texts := map[string]string{"p/z_test.go": reader}
		for i := range count {
			texts[fmt.Sprintf("p/a%03d_test.go", i)] = ""
		}
		return texts
	}
	sized := func(last int) map[string]string {
		return map[string]string{"p/a_test.go": long, "p/b_test.go": long, "p/c_test.go": long, "p/d_test.go": long[:last], "p/z_test.go": reader}
	}
	dirs := func(count int) map[string]string { // next to the test data
		texts := map[string]string{"p/z/a_test.go": reader}
		for i := range count {
			texts[fmt.Sprintf("p/a%03d/", i)] = ""
		}
		return texts
	}
	above := func(count int) map[string]string { // between the test data and the file
		return map[string]string{"p/a_test.go": reader, "p/testdata/" + strings.Repeat("d/", count): ""}
	}
	for _, c := range []struct {
		name, full string
		texts      map[string]string
		want       string
	}{
		{"300 tests", "", tests(maxTests - 1), "p/z_test.go"},
		{"301 tests", "", tests(maxTests), ""},
		{"4 MiB", "", sized(1<<20 - len(reader)), "p/z_test.go"},
		{"more than 4 MiB", "", sized(1<<20 - len(reader) + 1), ""},
		{"300 directories", "", dirs(maxTestDirs - 2), "p/z/a_test.go"},
		{"301 directories", "", dirs(maxTestDirs - 1), ""},
		{"20 directories above", strings.Repeat("d/", maxTestLevels-1), above(maxTestLevels - 1), "p/a_test.go"},
		{"21 directories above", strings.Repeat("d/", maxTestLevels), above(maxTestLevels), ""},
	} {
		top := t.TempDir()
		c.texts["p/testdata/"] = ""
		write(t, top, c.texts)
		found, ok := NewTests(Disk{}).Of(&File{top: top}, filepath.Join(top, "p/testdata", c.full, "web.yaml"))
		want := filepath.Join(top, c.want)
		if ok != (c.want != "") || ok && found.By != want {
			t.Errorf("%s: have %v, %v", c.name, found, ok)
		}
	}
}
