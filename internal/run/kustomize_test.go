package run

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/kustomize"
)

// Each build may take less than its own limit, so their sum has a limit too.
func TestAllBuildsShareTheirTime(t *testing.T) {
	files := map[string]string{
		"a/kustomization.yaml": "resources: [b.yaml]\n",
		"a/b.yaml":             "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n",
	}
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
	b := newBuilds(&Options{}, &find.Found{})
	if output, fault := b.watched(context.Background(), k); output == nil || fault != nil {
		t.Fatal("a kustomization cannot be built")
	}
	if b.left <= 0 || b.left >= mostTotal {
		t.Errorf("after a build, %s are left of %s", b.left, mostTotal)
	}
	b.left = 0
	output, fault := b.watched(context.Background(), k)
	if output != nil || fault == nil || !strings.Contains(fault.Violation.Message, "the other builds take too long") {
		t.Errorf("without time: %v", fault)
	}
}
