// Package kustomize58 builds kustomizations with kustomize 5.8. kindvet builds them as kustomize 5.7 does; the cases in
// internal/kustomize/testdata/versions show what differs, with the output of both.
package kustomize58

import (
	"fmt"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Build returns what 'kustomize build' writes for a directory.
func Build(files filesys.FileSystem, dir string) (output string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, dir)
	if err != nil {
		return "", err
	}
	text, err := built.AsYaml()
	return string(text), err
}
