package find

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// These are the default names of the test files of Chainsaw and of the CLI of Kyverno.
const (
	chainsawTest = "chainsaw-test.yaml"
	kyvernoTest  = "kyverno-test.yaml"
)

// Limits of the patterns of the tests of a run: their number, and the steps for comparing the files with them. Files
// beyond a limit are checked like others. One of 29 public repositories has 597 tests.
const (
	maxPatterns     = 1000
	maxPatternSteps = 1 << 28
)

// asserted holds the absolute paths of the files that tests name. Chainsaw expands patterns as [filepath.Match] does.
type asserted struct {
	expected map[string]bool // the tests compare them with objects of the cluster
	applied  map[string]bool // the tests create them
	patterns []string        // of expected files
	steps    int             // of comparing files with patterns
}

// read adds the files that the tests in a directory name.
func (a *asserted) read(tree Tree, directory string) {
	a.readTest(tree, directory, chainsawTest)
	a.readTest(tree, directory, kyvernoTest)
}

// readTest adds the files that a test of Chainsaw (pkg/apis/v1alpha1, Operation) or of the CLI of Kyverno
// (cmd/cli/kubectl-kyverno/apis/v1alpha1, Test) names. It follows no link.
func (a *asserted) readTest(tree Tree, directory, base string) {
	name := filepath.Join(directory, base)
	if stat, err := tree.Lstat(name); err != nil || !stat.Mode().IsRegular() {
		return
	}
	text, err := tree.Read(name, disk.Kustomization)
	if err != nil {
		return
	}
	if a.expected == nil {
		a.expected, a.applied = map[string]bool{}, map[string]bool{}
	}
	src := &source.Source{Name: name, Text: text}
	document := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		document.Read(src, part)
		if base == kyvernoTest {
			a.resources(directory, document.Root())
			continue
		}
		spec, ok := document.Root().Field("spec")
		if !ok {
			continue
		}
		a.phases(directory, spec)
		if steps, ok := spec.Field("steps"); ok && steps.Type() == manifest.List {
			for step := range steps.Children() {
				a.phases(directory, step)
			}
		}
	}
}

// resources adds the objects that a test of the CLI of Kyverno gives to policies. They are next to the test or below.
func (a *asserted) resources(directory string, test manifest.Node) {
	for _, list := range [...]string{"resources", "targetResources"} {
		for file := range test.At(list).Children() {
			path := filepath.Join(directory, filepath.FromSlash(file.Text()))
			if file.Type() == manifest.String && path != directory && disk.IsWithin(directory, path) {
				a.expected[path] = true
			}
		}
	}
}

// phases adds the files that the operations of a test or of a step name.
func (a *asserted) phases(directory string, n manifest.Node) {
	for _, phase := range [...]string{"try", "catch", "finally", "cleanup"} {
		operations, ok := n.Field(phase)
		if !ok || operations.Type() != manifest.List {
			continue
		}
		for operation := range operations.Children() {
			if files := rejected(operation); len(files) > 0 {
				for _, file := range files {
					a.add(filepath.Join(directory, filepath.FromSlash(file)), true)
				}
				continue
			}
			for _, verb := range [...]string{"assert", "error", "apply", "create", "update"} {
				if file := operation.At(verb, "file"); file.Valid() && file.Text() != "" {
					a.add(filepath.Join(directory, filepath.FromSlash(file.Text())), verb == "assert" || verb == "error")
				}
			}
		}
	}
}

// rejected returns the files of an operation of which a test expects that the server rejects them.
func rejected(operation manifest.Node) (files []string) {
	for _, verb := range [...]string{"apply", "create", "update"} {
		o := operation.At(verb)
		for expected := range o.At("expect").Children() {
			if expectsError(expected.At("check")) && o.TextAt("file") != "" {
				files = append(files, o.TextAt("file"))
			}
		}
	}
	if script := operation.At("script"); expectsError(script.At("check")) {
		for _, m := range kubectlFile().FindAllStringSubmatch(script.TextAt("content"), 100) {
			files = append(files, m[1])
		}
	}
	return files
}

// kubectlFile matches a command that sends a file to a server.
var kubectlFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bkubectl\s+(?:apply|create|replace)\s+-f\s+([\w./-]+)`)
})

// expectsError reports whether a check holds only for an error, such as ($error != null): true.
func expectsError(check manifest.Node) bool {
	for f := range check.Children() {
		expression := strings.Join(strings.Fields(f.Key()), "")
		switch {
		case expression == "($error!=null)" && f.Type() == manifest.Boolean && f.Boolean(),
			expression == "($error==null)" && f.Type() == manifest.Boolean && !f.Boolean():
			return true
		}
	}
	return false
}

func (a *asserted) add(path string, isExpected bool) {
	switch {
	case !isExpected:
		a.applied[path] = true
	case !strings.ContainsAny(path, "*?["):
		a.expected[path] = true
	case len(a.patterns) < maxPatterns && !slices.Contains(a.patterns, path):
		a.patterns = append(a.patterns, path)
	}
}

// isExpected reports whether a test compares a file with an object.
func (a *asserted) isExpected(path string) bool {
	return a.expected[path] || slices.ContainsFunc(a.patterns, func(pattern string) bool {
		fixed := pattern[:strings.IndexAny(pattern, `*?[\`)]
		if !strings.HasPrefix(path, fixed) {
			return false
		}
		if a.steps += len(pattern) * (len(path) - len(fixed)); a.steps > maxPatternSteps {
			return false
		}
		matched, err := filepath.Match(pattern, path)
		return matched && err == nil
	})
}

// addTested adds the files that only tests use.
func (f *Found) addTested(uses map[string]kustomization.Use, tests *asserted) {
	for i := range f.Files {
		switch path := f.Files[i].Abs; {
		case uses[path] != 0:
		case tests.applied[path]:
			uses[path] = kustomization.Applied
		case tests.isExpected(path):
			uses[path] = kustomization.Expected
		}
	}
}
