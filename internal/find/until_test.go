package find

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/disk"
)

func TestATreeReadsNothingAfterItsContext(t *testing.T) {
	dir := tree(t, map[string]string{"a.yaml": "a: b\n"})
	name := filepath.Join(dir, "a.yaml")
	ctx, cancel := context.WithCancel(t.Context())
	u := Until(ctx, Disk{})
	in, err := u.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	errs := func() []error {
		_, first := u.Lstat(name)
		_, second := u.Stat(name)
		_, third := u.ReadDir(dir)
		_, fourth := u.Read(name, disk.Kustomization)
		again, fifth := u.Open(name)
		if fifth == nil {
			_ = again.Close()
		}
		return []error{first, second, third, fourth, fifth}
	}
	for i, err := range errs() {
		if err != nil {
			t.Errorf("%d: have %v", i, err)
		}
	}
	cancel()
	_, err = io.ReadAll(in)
	for i, err := range append(errs(), err) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d, canceled: have %v", i, err)
		}
	}
}
