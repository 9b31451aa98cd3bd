// Package program finds the external programs that kindvet runs: git and, for one command, kubectl.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Find returns the path of a program, using only the absolute directories in PATH. It does not use a program below
// the directory top, because it may be part of the files to check.
func Find(name, top string) (string, error) {
	isBelowTop, resolvedTop := false, top
	if resolved, err := filepath.EvalSymlinks(top); err == nil {
		resolvedTop = resolved
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		resolved, err := filepath.EvalSymlinks(found)
		if err != nil {
			continue
		}
		if isIn(resolved, resolvedTop) {
			isBelowTop = true
			continue
		}
		return found, nil
	}
	if isBelowTop {
		return "", fmt.Errorf("the only %s in PATH is below %s, which is to be checked", name, top)
	}
	return "", fmt.Errorf("%s is not in PATH", name)
}

// isIn reports whether path is dir or is below it.
func isIn(path, dir string) bool {
	name, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(name)
}
