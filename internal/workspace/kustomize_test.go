package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomize"
	"github.com/kindvet/kindvet/internal/source"
)

// kustomizationOf loads the kustomization in the directory a of a repository of texts.
func kustomizationOf(t *testing.T, files map[string]string) *kustomize.Kustomization {
	t.Helper()
	repository := kustomize.New(kustomize.Reader{
		Read: func(path string) (string, error) {
			if text, ok := files[path]; ok {
				return text, nil
			}
			return "", fs.ErrNotExist
		},
		IsDirectory: func(path string) bool { return path == "." || path == "a" },
		Name:        func(path string) string { return path },
	})
	k, fault := repository.Load("a")
	if fault != nil {
		t.Fatal(fault.Violation.Message)
	}
	return k
}

// Each build may take less than the limit, so all share one. What is not built because of it is an error.
func TestAllBuildsShareWhatTheyMayAllocate(t *testing.T) {
	files := map[string]string{"a/kustomization.yaml": "resources: [b.yaml]\n"}
	for i := range 100 {
		files["a/b.yaml"] += fmt.Sprintf("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: b%d}}\n", i)
	}
	k := kustomizationOf(t, files)
	b := newBuilds(planIn(find.Disk{}, 1))
	if output, fault := b.watched(context.Background(), k); output == nil || fault != nil {
		t.Fatal("a kustomization cannot be built")
	}
	allowed := mostAllocated + allocatedForByte*(len(files["a/kustomization.yaml"])+len(files["a/b.yaml"]))
	if b.left <= 0 || b.left >= allowed {
		t.Errorf("after a build, %d bytes are left of %d", b.left, allowed)
	}
	left := b.left
	if b.watched(context.Background(), k); b.left >= left {
		t.Error("the files of a kustomization count twice")
	}
	for left, want := range map[int]string{
		1: "the build is too complex", 0: "the builds of other kustomizations are too complex",
	} {
		b.left = left
		output, fault := b.watched(context.Background(), k)
		if output != nil || fault == nil || !strings.Contains(fault.Violation.Message, want) ||
			fault.Violation.Rule != diag.ReaderLimit || fault.Violation.Severity != diag.Error {
			t.Errorf("%d bytes left: %+v", left, fault)
		}
	}
}

// A strategic merge patch of a list compares each item with each.
func TestABuildThatIsTooComplexIsAnError(t *testing.T) {
	env := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n" +
		"spec:\n  template:\n    spec:\n      containers:\n      - name: a\n        env:\n"
	for i := range 500 {
		env += fmt.Sprintf("        - {name: E%d, value: a}\n", i)
	}
	k := kustomizationOf(t, map[string]string{
		"a/kustomization.yaml": "resources: [b.yaml]\npatches: [{path: b.yaml}]\n", "a/b.yaml": env,
	})
	b := newBuilds(planIn(find.Disk{}, 1))
	b.left = 1<<20 - allocatedForByte*len(env) // the limit itself would take long
	output, fault := b.watched(context.Background(), k)
	if output != nil || fault == nil || fault.Violation.Rule != diag.ReaderLimit {
		t.Fatalf("have %+v", fault)
	}
	if output, fault = b.watched(context.Background(), k); output != nil || fault == nil {
		t.Error("a build starts after one that does not end")
	}
}

// The library does one build at a time, so one that does not end would hold up all that find where values are set.
func TestNoValuesAreTriedAfterABuildThatDoesNotEnd(t *testing.T) {
	patch := "- target: {kind: ConfigMap, labelSelector: %s}\n  patch: '- {op: replace, path: /data/a, value: Same}'\n"
	k := kustomizationOf(t, map[string]string{
		"a/kustomization.yaml": "resources: [b.yaml]\npatches:\n" + fmt.Sprintf(patch, "c=d") + fmt.Sprintf(patch, "c!=d"),
		"a/b.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, labels: {c: d}}\ndata: {a: b}\n",
	})
	isGuess := func(isStuck bool) bool {
		b := newBuilds(planIn(find.Disk{}, 1))
		output, fault := b.watched(context.Background(), k)
		if output == nil {
			t.Fatal(fault.Violation.Message)
		}
		if isStuck {
			b.abandon()
			if other, _ := b.watched(context.Background(), k); other != nil {
				t.Error("a build starts after one that does not end")
			}
		}
		src, supplied := output.Source(func(string) bool { return false })
		at := strings.Index(src.Text, "Same")
		return len(supplied(source.Span{Start: at, End: at + 4})) > 0
	}
	if isGuess(false) || !isGuess(true) {
		t.Errorf("have a guess %t, and %t after a build that does not end", isGuess(false), isGuess(true))
	}
}

// Each missing file of many kustomizations is an error. If there are too many to compare with ignore files, the run says so.
func TestManyMissingFilesAreReported(t *testing.T) {
	skipIfShort(t)
	for n, failures := range map[int]int{1000: 0, 1001: 1} {
		files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
		for i := range n {
			files[fmt.Sprintf("d%d/kustomization.yaml", i)] = "resources: [größe.yaml]\n"
		}
		r := in(t, files, Options{Files: find.Options{Paths: []string{"."}}})
		if have := r.Report.Summary.Errors; have != min(n, 1000) || len(r.Failures) != failures {
			t.Errorf("%d missing files: %d errors, %v", n, have, r.Failures)
		}
	}
}
