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
		if have := hasWord(text, "testdata"); have != want {
			t.Errorf("%q: have %v", text, have)
		}
	}
}

// What is not read because of a limit changes nothing, and is told.
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
		unread     string
	}{
		{"300 tests", "", tests(maxTests - 1), "p/z_test.go", ""},
		{"301 tests", "", tests(maxTests), "", "a directory has more than 300 tests"},
		{"1 MiB", "", map[string]string{"p/z_test.go": reader + long[len(reader):]}, "p/z_test.go", ""},
		{"more than 1 MiB", "", map[string]string{"p/größe_test.go": reader + long}, "", `"größe_test.go" has more than 1 MiB`},
		{"4 MiB", "", sized(1<<20 - len(reader)), "p/z_test.go", ""},
		{"more than 4 MiB", "", sized(1<<20 - len(reader) + 1), "", "the tests in a directory have more than 4 MiB"},
		{"300 directories", "", dirs(maxTestDirs - 2), "p/z/a_test.go", ""},
		{"301 directories", "", dirs(maxTestDirs - 1), "", "more than 300 files and directories are next to the test data"},
		{"20 directories above", strings.Repeat("d/", maxTestLevels-1), above(maxTestLevels - 1), "p/a_test.go", ""},
		{"21 directories above", strings.Repeat("d/", maxTestLevels), above(maxTestLevels), "", "it is below more than 20 directories"},
	} {
		top := t.TempDir()
		c.texts["p/testdata/"] = ""
		write(t, top, c.texts)
		tests := NewTests(Disk{})
		want := filepath.Join(top, c.want)
		for range 2 { // the second time, it is known
			found, ok, unread := tests.Of(&File{top: top}, filepath.Join(top, "p/testdata", c.full, "web.yaml"))
			if ok != (c.want != "") || ok && found.By != want || unread != c.unread {
				t.Errorf("%s: have %v, %v, %q", c.name, found, ok, unread)
			}
		}
	}
}
