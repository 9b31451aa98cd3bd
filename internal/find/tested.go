package find

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
)

// Tests finds out which files only tests use. They are looked for only if a file has a finding.
//
// Neither the name of a directory nor a test next to a file is enough: the directory must be called as those of test data
// are, and a test must name it, or a test must name the file. Decide anew if a manifest of a public repository is deployed
// although it is so.
type Tests struct {
	tree  Tree
	data  map[string]test // by directory of test data
	texts map[string]*testTexts
	dirs  map[string]*testDir
	files map[string]string // texts of tests of manifests
	// named are the tests that name something, by their directory and the name.
	named map[[2]string]test
	size  int // of texts and files, in bytes
	// unread says why not all tests were read that may use the last file; "" if all were.
	unread string
}

// testDir is what matters of a directory.
type testDir struct {
	// runners are the names of tests of manifests, and steps those of files that steps of kuttl expect, by their numbers.
	runners []string
	steps   map[string]string
	// twins are the names, without extensions, of files with an expected one next to them.
	twins map[string]bool
}

// test is a test that names something; zero for none. unread says why not all were read.
type test struct{ by, unread string }

// testTexts are the tests in a directory.
type testTexts struct {
	list   []testText
	unread string
}

type testText struct{ path, text string }

// NewTests returns the tests of a tree. It is not safe for concurrent use.
func NewTests(t Tree) *Tests {
	return &Tests{
		tree: t, data: map[string]test{}, texts: map[string]*testTexts{}, dirs: map[string]*testDir{}, files: map[string]string{},
		named: map[[2]string]test{},
	}
}

// Tested is what tests do with a file.
type Tested struct {
	// By is the absolute path of the test, and Dir that of the directory that belongs to it.
	By, Dir string
	// IsApplied means that the test creates the objects in a cluster, or may. Otherwise it only reads them: they may be partial,
	// or wrong on purpose.
	IsApplied bool
	// IsOfPolicies means that the test is one of policies: those next to it are deployed.
	IsOfPolicies bool
}

// Limits of the tests that are read for a file: the directories above it and, for test data, those next to it, and the tests
// in each with their bytes. What is not read changes nothing: the error stays, and [Tests.Of] tells. maxKeptTests limits the memory: what is needed
// again is read again.
const (
	maxTestLevels = 20
	maxTestDirs   = 300
	maxTests      = 300
	maxTestBytes  = 4 << 20
	maxKeptTests  = 128 << 20
)

// dataNames are the names of directories that hold the data of tests.
var dataNames = []string{
	"testdata", "_testdata", "test-data", "test_data", "golden", "goldens", "fixtures", "__fixtures__", "fixture", "test-fixtures",
}

// Of returns what tests do with the file, chart or kustomization at an absolute path in the repository of a file. unread says
// why not all tests were read that may use it; "" if all were.
func (t *Tests) Of(f *File, full string) (found Tested, ok bool, unread string) {
	if f.top == "" || !disk.IsWithin(f.top, full) {
		return found, false, ""
	}
	t.unread = ""
	found, ok = t.of(f.top, full)
	return found, ok, t.unread
}

func (t *Tests) of(top, full string) (found Tested, ok bool) {
	at := filepath.Dir(full)
	for range maxTestLevels {
		if at == top || !disk.IsWithin(top, at) {
			break
		}
		if slices.Contains(dataNames, filepath.Base(at)) {
			by := t.readerOf(top, at)
			if by == "" { // a function of the tests may add the directory to the name of the file
				by = t.naming(filepath.Dir(at), filepath.Base(full))
			}
			if by != "" {
				return Tested{By: by, Dir: at}, true
			}
		}
		at = filepath.Dir(at)
	}
	if at != top && disk.IsWithin(top, at) {
		t.unread = "it is below more than 20 directories"
	}
	if by := t.expecting(full); by != "" {
		return Tested{By: by, Dir: filepath.Dir(full)}, true
	}
	return t.runBy(top, full)
}

// readerOf returns a test that names a directory of test data: above it, or in a directory next to it.
func (t *Tests) readerOf(top, dir string) string {
	if known, ok := t.data[dir]; ok {
		t.unread = cmp.Or(t.unread, known.unread)
		return known.by
	}
	before := t.unread
	t.unread = ""
	by := t.naming(filepath.Dir(dir), filepath.Base(dir))
	for at := filepath.Dir(dir); by == "" && at != top && disk.IsWithin(top, filepath.Dir(at)); {
		at = filepath.Dir(at)
		by = t.naming(at, filepath.Base(dir))
	}
	if by == "" {
		by = t.namingBelow(filepath.Dir(dir), filepath.Base(dir))
	}
	t.data[dir] = test{by, t.unread}
	t.unread = cmp.Or(before, t.unread)
	return by
}

// namingBelow returns a test in one of the directories in another one that names a third one.
func (t *Tests) namingBelow(dir, name string) string {
	left := maxTestDirs
	dirs := []string{dir}
	for levels := range 2 {
		var below []string
		for _, at := range dirs {
			entries, err := t.tree.ReadDir(at)
			if err != nil {
				continue
			}
			for _, d := range entries {
				if left--; left < 0 {
					t.unread = cmp.Or(t.unread, "more than 300 files and directories are next to the test data")
					return ""
				}
				if full := filepath.Join(at, d.Name()); d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
					if by := t.naming(full, name); by != "" && (levels > 0 || d.Name() != name) {
						return by
					}
					below = append(below, full)
				}
			}
		}
		dirs = below
	}
	return ""
}

// naming returns a test in a directory that names a file or directory as a part of a path.
func (t *Tests) naming(dir, name string) string {
	key := [2]string{dir, name}
	known, ok := t.named[key]
	if !ok {
		tests := t.in(dir)
		if i := slices.IndexFunc(tests.list, func(x testText) bool { return hasWord(x.text, name) }); i >= 0 {
			known.by = tests.list[i].path
		} else {
			known.unread = tests.unread
		}
		t.named[key] = known
	}
	t.unread = cmp.Or(t.unread, known.unread)
	return known.by
}

// in returns the tests in a directory.
func (t *Tests) in(dir string) *testTexts {
	if in := t.texts[dir]; in != nil {
		return in
	}
	in := &testTexts{}
	entries, err := t.tree.ReadDir(dir)
	size := 0
	for _, d := range entries {
		if err != nil || !d.Type().IsRegular() || !isTest(dir, d.Name()) {
			continue
		}
		if len(in.list) == maxTests {
			in.unread = "a directory has more than 300 tests"
			break
		}
		full := filepath.Join(dir, d.Name())
		text, err := t.tree.Read(full, disk.Kustomization)
		if size += len(text); size > maxTestBytes {
			in.unread = "the tests in a directory have more than 4 MiB"
			break
		}
		switch {
		case err == nil:
			in.list = append(in.list, testText{full, text})
		case isLarge(t.tree, full):
			in.unread = diag.Quote(d.Name()) + " has more than 1 MiB"
		}
	}
	t.keep(size)
	t.texts[dir] = in
	return in
}

// isLarge reports whether a file is not read because of its size.
func isLarge(t Tree, full string) bool {
	stat, err := t.Stat(full)
	return err == nil && stat.Size() > disk.Kustomization.Limit()
}

// keep forgets all texts if there is no memory for a new one.
func (t *Tests) keep(size int) {
	if t.size += size; t.size > maxKeptTests {
		clear(t.texts)
		clear(t.files)
		t.size = size
	}
}

// testFile matches the names of tests in several languages.
var testFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`_test\.(?:go|py|rb|rego|sh|jsonnet|exs?)$|^(?:test_.*|conftest)\.py$|\.(?:test|spec)\.[cm]?[jt]sx?$|_spec\.rb$|\.bats$|Tests?\.(?:java|kt|cs)$`)
})

// isTest reports whether a file is a test. A Makefile or script is one in a directory of tests.
func isTest(dir, name string) bool {
	if testFile().MatchString(name) {
		return true
	}
	switch filepath.Base(dir) {
	case "test", "tests", "e2e":
		return name == "Makefile" || filepath.Ext(name) == ".sh" || filepath.Ext(name) == ".py"
	}
	return false
}

// expecting returns the test that compares a file with an expected one: web.yaml with web-expected.yaml next to it, and a test
// above that names the directory.
func (t *Tests) expecting(full string) string {
	dir, base := filepath.Dir(full), filepath.Base(full)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	isExpected := strings.HasPrefix(name, "expected") || strings.HasSuffix(name, "expected") ||
		strings.HasSuffix(name, ".golden") || t.dir(dir).twins[name]
	if !isExpected {
		return ""
	}
	for at, levels := dir, 0; levels < 3; at, levels = filepath.Dir(at), levels+1 {
		if by := t.naming(at, filepath.Base(dir)); by != "" {
			return by
		}
		if by := t.naming(at, base); by != "" {
			return by
		}
	}
	return ""
}

// stepFile matches what a step of kuttl expects (pkg/test/step.go).
var stepFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+-(?:assert|errors)(?:-.*)?\.ya?ml$`) })

// numberOf returns the number of a step that a name starts with.
func numberOf(name string) string { return name[:len(name)-len(strings.TrimLeft(name, "0123456789"))] }

// runBy returns the test of a program that runs tests of manifests: it names the file, or the file is a step of it.
func (t *Tests) runBy(top, full string) (found Tested, ok bool) {
	const levels = 3
	at, base := filepath.Dir(full), filepath.Base(full)
	for level := range levels {
		if !disk.IsWithin(top, at) {
			break
		}
		in := t.dir(at)
		for _, entry := range in.runners {
			by := filepath.Join(at, entry)
			if base == entry || !t.names(by, base) {
				continue
			}
			switch strings.TrimSuffix(entry, filepath.Ext(entry)) {
			case "chainsaw-test":
				return Tested{By: by, Dir: at, IsApplied: true}, true
			case "kyverno-test":
				return Tested{By: by, Dir: at, IsOfPolicies: true}, true
			case "suite":
				if t.names(by, "test.gatekeeper.sh") {
					return Tested{By: by, Dir: at, IsOfPolicies: true}, true
				}
			}
		}
		if step := in.steps[numberOf(base)]; level == 0 && step != "" && !stepFile().MatchString(base) {
			return Tested{By: filepath.Join(at, step), Dir: at, IsApplied: true}, true
		}
		if at == top {
			break
		}
		at = filepath.Dir(at)
	}
	return found, false
}

// names reports whether a text has a name.
func (t *Tests) names(full, name string) bool {
	text, ok := t.files[full]
	if !ok {
		text, _ = t.tree.Read(full, disk.Kustomization)
		t.keep(len(text))
		t.files[full] = text
	}
	return hasWord(text, name)
}

func isYAML(name string) bool { return filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" }

// dir reads a directory once.
func (t *Tests) dir(full string) *testDir {
	if in := t.dirs[full]; in != nil {
		return in
	}
	in := &testDir{steps: map[string]string{}, twins: map[string]bool{}}
	t.dirs[full] = in
	entries, err := t.tree.ReadDir(full)
	if err != nil {
		return in
	}
	for _, d := range entries {
		name := strings.TrimSuffix(d.Name(), filepath.Ext(d.Name()))
		for _, mark := range [...]string{"expected", "golden"} {
			if of, ok := strings.CutSuffix(name, mark); ok && of != "" {
				in.twins[strings.TrimRight(of, "-_.")] = true
			}
		}
		switch {
		case !d.Type().IsRegular():
		case (name == "chainsaw-test" || name == "kyverno-test" || name == "suite") && isYAML(d.Name()):
			in.runners = append(in.runners, d.Name())
		case stepFile().MatchString(d.Name()):
			in.steps[numberOf(d.Name())] = d.Name()
		}
	}
	return in
}
