package find

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	texts map[string][]testText
	dirs  map[string]*testDir
	files map[string]string // texts of tests of manifests
	// named are the tests that name something, by their directory and the name.
	named map[[2]string]string
	size  int // of texts and files, in bytes
}

// testDir is what matters of a directory.
type testDir struct {
	// runners are the names of tests of manifests, and steps those of files that steps of kuttl expect, by their numbers.
	runners []string
	steps   map[string]string
	// twins are the names, without extensions, of files with an expected one next to them.
	twins map[string]bool
}

// test is what a directory of test data is for; zero for none.
type test struct{ by string }

type testText struct{ path, text string }

// NewTests returns the tests of a tree. It is not safe for concurrent use.
func NewTests(t Tree) *Tests {
	return &Tests{
		tree: t, data: map[string]test{}, texts: map[string][]testText{}, dirs: map[string]*testDir{}, files: map[string]string{},
		named: map[[2]string]string{},
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
// in each with their bytes. What is not read changes nothing: the error stays. maxKeptTests limits the memory: what is needed
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

// Of returns what tests do with the file, chart or kustomization at an absolute path in the repository of a file.
func (t *Tests) Of(f *File, full string) (found Tested, ok bool) {
	if f.top == "" || !disk.IsWithin(f.top, full) {
		return found, false
	}
	at := filepath.Dir(full)
	for range maxTestLevels {
		if at == f.top || !disk.IsWithin(f.top, at) {
			break
		}
		if slices.Contains(dataNames, filepath.Base(at)) {
			if by := t.readerOf(f.top, at); by != "" {
				return Tested{By: by, Dir: at}, true
			}
		}
		at = filepath.Dir(at)
	}
	if by := t.expecting(full); by != "" {
		return Tested{By: by, Dir: filepath.Dir(full)}, true
	}
	return t.runBy(f.top, full)
}

// readerOf returns a test that names a directory of test data: above it, or in a directory next to it.
func (t *Tests) readerOf(top, dir string) string {
	if known, ok := t.data[dir]; ok {
		return known.by
	}
	by := t.naming(filepath.Dir(dir), filepath.Base(dir))
	for at := filepath.Dir(dir); by == "" && at != top && disk.IsWithin(top, filepath.Dir(at)); {
		at = filepath.Dir(at)
		by = t.naming(at, filepath.Base(dir))
	}
	if by == "" {
		by = t.namingBelow(filepath.Dir(dir), filepath.Base(dir))
	}
	t.data[dir] = test{by}
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
	if by, ok := t.named[key]; ok {
		return by
	}
	by, tests := "", t.in(dir)
	if i := slices.IndexFunc(tests, func(x testText) bool { return namesPart(x.text, name) }); i >= 0 {
		by = tests[i].path
	}
	t.named[key] = by
	return by
}

// namesPart reports whether a text has a name that is not a part of a longer one.
func namesPart(text, name string) bool {
	for at := 0; ; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		start, end := at+next, at+next+len(name)
		if (start == 0 || !isNameByte(text[start-1])) && (end == len(text) || !isNameByte(text[end])) {
			return true
		}
		at = end
	}
}

// in returns the tests in a directory.
func (t *Tests) in(dir string) (list []testText) {
	if list, ok := t.texts[dir]; ok {
		return list
	}
	entries, err := t.tree.ReadDir(dir)
	size := 0
	for _, d := range entries {
		if err != nil || !d.Type().IsRegular() || !isTest(dir, d.Name()) || len(list) == maxTests {
			continue
		}
		full := filepath.Join(dir, d.Name())
		text, err := t.tree.Read(full, disk.Kustomization)
		if size += len(text); size > maxTestBytes {
			break
		}
		if err == nil {
			list = append(list, testText{full, text})
		}
	}
	t.keep(size)
	t.texts[dir] = list
	return list
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
	return namesPart(text, name)
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
