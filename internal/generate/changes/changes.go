// Package changes finds what differs between two versions of Kubernetes, as far as it concerns the validation of manifests:
// API versions, feature gates, fields and their tags, values of enums, and functions, each with its places in both
// versions. It reads the modules in the module cache. The command testdata/changes prints it:
//
//	go run ./testdata/changes 1.36.3 1.37.2
//
// A line begins with "+" for what is new, "-" for what is gone and "~" for what is different. In the part about code, a
// function has the error sites that are new or gone: "by tag" if upstream marks the error as covered by a +k8s: tag, which
// is then among the tags above, and "by hand" if only the code tells what to write in an overlay.
package changes

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/generate/upstream"
)

// Options say how to print.
type Options struct {
	// Download the modules that are not in the module cache.
	Download bool
	// Lines adds the changed lines of each function.
	Lines bool
}

// Print writes what differs between two versions, such as 1.36.3 and 1.37.2.
func Print(w io.Writer, versions []string, o Options) error {
	if len(versions) != 2 {
		return errors.New("pass two versions, such as 1.36.3 1.37.2")
	}
	var both [2]*release
	for i, v := range versions {
		dirs, minor, err := modulesOf(v, o.Download)
		if err != nil {
			return err
		}
		if both[i], err = read(dirs, minor); err != nil {
			return fmt.Errorf("%s: %w", v, err)
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Kubernetes %s to %s\n", versions[0], versions[1])
	compare(both[0], both[1]).write(out, o.Lines)
	return out.Flush()
}

// directories has the directories of modules by their names, such as k8s.io/api.
type directories map[string]string

// moduleNames are the modules that are read.
var moduleNames = []string{
	"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/kubernetes",
}

// modulesOf returns the directories of the modules of a version such as 1.36.3, and its minor version.
func modulesOf(version string, fetch bool) (directories, int, error) {
	rest, ok := strings.CutPrefix(version, "1.")
	first, _, hasPatch := strings.Cut(rest, ".")
	minor, err := strconv.Atoi(first)
	if !ok || !hasPatch || err != nil {
		return nil, 0, fmt.Errorf("invalid version %q: use one with a patch, such as 1.36.3", version)
	}
	dirs := directories{}
	for _, name := range moduleNames {
		of := "v0." + rest
		if name == "k8s.io/kubernetes" {
			of = "v1." + rest
		}
		dir, err := module(name+"@"+of, fetch)
		if err != nil {
			return nil, 0, err
		}
		dirs[name] = dir
	}
	return dirs, minor, nil
}

// module returns the directory of a module in the module cache.
func module(name string, fetch bool) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", name)
	cmd.Dir = os.TempDir() // so that the command changes no go.sum
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if !fetch {
		cmd.Env = append(cmd.Env, "GOPROXY=off")
	}
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	if parseErr := json.Unmarshal(out, &answer); parseErr != nil {
		return "", fmt.Errorf("%s: %v, %v", name, err, parseErr)
	}
	if answer.Error != "" && !fetch {
		return "", fmt.Errorf("%s is not in the module cache: use -download", name)
	}
	if answer.Error != "" {
		return "", fmt.Errorf("%s: %s", name, answer.Error)
	}
	return answer.Dir, nil
}

// release is what the modules of a version say.
type release struct {
	facts        upstream.Facts
	publicNames  map[string]publicName
	declarations map[string]*declaration
	kinds        map[string][]string
}

func read(dirs directories, minor int) (*release, error) {
	var r release
	var err error
	m := upstream.Modules{Minor: minor, Kubernetes: dirs["k8s.io/kubernetes"], API: dirs["k8s.io/api"]}
	if r.facts, err = upstream.ReadFacts(m); err != nil {
		return nil, err
	}
	if r.publicNames, err = readMembers(dirs); err != nil {
		return nil, err
	}
	if r.declarations, err = readDeclarations(dirs); err != nil {
		return nil, err
	}
	r.kinds = kindsOf(r.declarations, r.facts.Kinds)
	return &r, nil
}

// place is a line of a file, which is relative to its module.
type place struct {
	file string
	line int
}

func (p place) String() string { return p.file + ":" + strconv.Itoa(p.line) }
