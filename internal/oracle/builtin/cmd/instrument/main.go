// Command instrument copies upstream's module of field errors, makes the copy record each error, and prints a go.mod
// that uses it. With that file and the tag "sites", a program of this module knows where validation makes each error:
//
//	go test -tags sites -modfile "$(go run ./cmd/instrument)" . -run Sites -update
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	file, err := write(filepath.Join(os.TempDir(), "kindvet-sites"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "instrument:", err)
		os.Exit(2)
	}
	fmt.Println(file)
}

const (
	module = "k8s.io/apimachinery"
	source = "pkg/util/validation/field/errors.go"
)

// constructor is the end of a function that makes an error.
var constructor = regexp.MustCompile(`(?s)return (&Error\{\n.*?\n\t\})\n`)

// record is the function to which the constructors give their errors.
const record = `
// Record is called for each error. It is nil by default.
var Record func(*Error)

func recorded(e *Error) *Error {
	if Record != nil {
		Record(e)
	}
	return e
}
`

// write writes the copy and go.mod into a directory, and returns the file name of go.mod.
func write(dir string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Version}}", module).Output()
	if err != nil {
		return "", err
	}
	from, _, _ := strings.Cut(string(out), "\n")
	copied := filepath.Join(dir, "apimachinery")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.CopyFS(copied, os.DirFS(from)); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(source)))
	if err != nil {
		return "", err
	}
	changed := constructor.ReplaceAllString(string(text), "return recorded($1)\n") + record
	target := filepath.Join(copied, filepath.FromSlash(source))
	if err := os.Remove(target); err != nil { // files of the module cache are read-only
		return "", err
	}
	if err := os.WriteFile(target, []byte(changed), 0o644); err != nil {
		return "", err
	}
	return modfile(dir, copied)
}

func modfile(dir, copied string) (string, error) {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if name == "go.mod" {
			text = append(text, []byte("\nreplace "+module+" => "+copied+"\n")...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "go.mod"), nil
}
