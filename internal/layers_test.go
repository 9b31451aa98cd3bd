package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/kindvet/kindvet/internal/"

// alone lists the packages that may import a restricted library.
var alone = map[string][]string{
	"sigs.k8s.io/kustomize":         {"kustomize"},
	"go.yaml.in/yaml":               {"manifest", "chart"},
	"sigs.k8s.io/yaml":              {"manifest", "chart", "kustomize"},
	"github.com/Masterminds":        {"sprig"},
	"github.com/google/cel-go":      {"cel"},
	"k8s.io/apiserver":              {"cel"},
	"github.com/spf13/cobra":        {"cli"},
	"github.com/fatih/color":        {"render"},
	"k8s.io/apimachinery":           {"formats", "cel"},
	"k8s.io/kube-openapi":           {},
	"github.com/bmatcuk/doublestar": {"gitignore", "find"},
	"os/exec":                       {"program", "git", "kubectl"},
	"net/http":                      {"fetch"},
}

// forbidden lists imports that the order allows but the design does not: rendering a report must not depend on
// checks.
var forbidden = map[string][]string{
	"render": {
		"manifest", "schema", "cel", "cel/adapter", "cel/environment", "cel/closure", "cel/blame", "validations", "catalog",
		"suppress", "baseline", "check", "find", "settings", "report", "workspace",
	},
}

func TestPackagesImportOnlyThoseAboveThem(t *testing.T) {
	packages := packagesOfPackageComment(t)
	eachFileOfAPackage(t, func(path string) { checkImports(t, packages, path) })
}

// eachFileOfAPackage calls a function for each Go file of the packages, without their tests.
func eachFileOfAPackage(t *testing.T, found func(path string)) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return fs.SkipDir // a module of its own
			}
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
			strings.Contains(path, string(filepath.Separator)) {
			found(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, packages []string, path string) {
	pkg := filepath.ToSlash(filepath.Dir(path))
	if strings.HasPrefix(pkg, "test/") || strings.HasPrefix(pkg, "generate/") {
		return // the product does not import it, because it is not in the list
	}
	here := slices.Index(packages, pkg)
	if here < 0 {
		t.Errorf("%s: pkg %q is not in the package comment of internal", path, pkg)
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		for library, allowed := range alone {
			if strings.HasPrefix(imported, library) && !isIn(pkg, allowed) {
				t.Errorf("%s imports %s, which only %v may", path, imported, allowed)
			}
		}
		other, ok := strings.CutPrefix(imported, module)
		if !ok {
			continue
		}
		if there := slices.Index(packages, other); there < 0 || there >= here && other != pkg ||
			slices.Contains(forbidden[pkg], other) {
			t.Errorf("%s: pkg %s imports %s, which does not stand above it", path, pkg, other)
		}
	}
}

// isIn reports whether a package is in a list, or below a package in it.
func isIn(pkg string, list []string) bool {
	for _, name := range list {
		if pkg == name || strings.HasPrefix(pkg, name+"/") {
			return true
		}
	}
	return false
}

// packagesOfPackageComment reads the package list from internal.go. Each indented line has a name and a description.
func packagesOfPackageComment(t *testing.T) []string {
	text, err := os.ReadFile("internal.go")
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for line := range strings.Lines(string(text)) {
		if entry, ok := strings.CutPrefix(line, "//\t"); ok {
			packages = append(packages, strings.Fields(entry)[0])
		}
	}
	if len(packages) == 0 {
		t.Fatal("the package comment of internal lists no packages")
	}
	return packages
}

func TestOnlyGitKnowsWhatARepositoryLooksLike(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
			filepath.Dir(path) == "git" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range []string{`".git"`, `".git/`} {
			if strings.Contains(string(text), name) {
				t.Errorf("%s has the string %s; ask the package git", path, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A long-lived process works on many directories, so the command line must say where paths start.
func TestNoPackageBelowTheCommandLineUsesTheWorkingDirectory(t *testing.T) {
	forbidden := map[string][]string{"os": {"Getwd", "Chdir"}, "filepath": {"Abs"}}
	eachFileOfAPackage(t, func(path string) {
		if strings.HasPrefix(filepath.ToSlash(path), "cli/") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			of, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if name, ok := of.X.(*ast.Ident); ok && slices.Contains(forbidden[name.Name], of.Sel.Name) {
				t.Errorf("%s calls %s.%s; pass the directory", path, name.Name, of.Sel.Name)
			}
			return true
		})
	})
}
