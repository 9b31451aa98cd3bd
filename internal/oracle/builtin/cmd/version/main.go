// Command version makes a module of the oracle of an older version of Kubernetes, such as 1.32, and prints its
// directory, in which the commands mutate, oracle and record can be built. Run it in internal/oracle/builtin:
//
//	cd "$(go run ./cmd/version 1.32)" && go build ./cmd/mutate
//
// The module has the files of this one, with copies of those that are links, and those of the directories below versions: a
// file of versions/1.34 replaces the file with the same name for 1.34 and all older versions, unless an older directory has
// it, too. The directory of the version has its go.mod.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: version MINOR, such as 1.32")
		os.Exit(2)
	}
	dir := filepath.Join(os.TempDir(), "kindvet-oracle-"+os.Args[1])
	if err := write(dir, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "version:", err)
		os.Exit(2)
	}
	fmt.Println(dir)
}

// shared are the files that the modules of all versions have.
var shared = []string{
	"*.go", "values.yaml", "parity/*.go", "cmd/mutate/*.go", "cmd/oracle/*.go", "cmd/record/*.go",
}

func write(dir, version string) error {
	if _, err := os.Stat(filepath.Join("versions", version, "go.mod")); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, pattern := range shared {
		if err := copyFiles(dir, ".", pattern); err != nil {
			return err
		}
	}
	directories, err := os.ReadDir("versions")
	if err != nil {
		return err
	}
	slices.SortFunc(directories, func(a, b os.DirEntry) int { return minor(b.Name()) - minor(a.Name()) })
	for _, d := range directories {
		if minor(d.Name()) < minor(version) {
			break
		}
		if err := copyFiles(dir, filepath.Join("versions", d.Name()), "*.go"); err != nil {
			return err
		}
	}
	return copyFiles(dir, filepath.Join("versions", version), "go.*")
}

// minor returns the second number of a version.
func minor(version string) int {
	_, number, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(number)
	return n
}

// copyFiles copies files from one directory to another, except tests.
func copyFiles(to, from, pattern string) error {
	files, err := filepath.Glob(filepath.Join(from, filepath.FromSlash(pattern)))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
