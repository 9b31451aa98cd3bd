// Package program finds the programs that kindvet runs: git and, for one command, kubectl.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Find returns a program, by the absolute directories of PATH. One below the directory top is not used: it came with
// what is to be checked.
func Find(name, top string) (string, error) {
	isBelowTop := false
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
		if isIn(resolved, top) {
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

// isIn reports whether a path is a directory or lies below it.
func isIn(path, dir string) bool {
	name, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(name)
}
