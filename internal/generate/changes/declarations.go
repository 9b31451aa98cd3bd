package changes

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// declaration is a function, or a variable or constant outside of functions.
type declaration struct {
	pkg, name string // "kubernetes/pkg/apis/core/validation", and ValidatePod or podStrategy.Validate
	place     place
	lines     []string // formatted, without comments
	sites     []site
	uses      []string // declarations, as package and name, that may not exist
}

// id names a declaration.
func (d *declaration) id() string { return d.pkg + "." + d.name }

// site is a call that makes a validation error.
type site struct {
	text     string // Invalid(fldPath.Child("name"), name, msg)
	line     int
	isTagged bool // a tag reports the error, so the server drops this one
}

// codeDirs are the directories, with those below them, whose code decides about manifests.
var codeDirs = map[string][]string{
	"k8s.io/kubernetes": {"pkg/api", "pkg/apis", "pkg/fieldpath", "pkg/registry"},
	"k8s.io/apimachinery": {
		"pkg/api/resource", "pkg/api/validate", "pkg/api/validation", "pkg/apis/meta/v1/validation", "pkg/labels",
		"pkg/util/intstr", "pkg/util/validation",
	},
	"k8s.io/apiextensions-apiserver": {"pkg/apis", "pkg/apiserver/schema", "pkg/apiserver/validation", "pkg/registry"},
	"k8s.io/apiserver":               {"pkg/cel", "pkg/registry/rest", "pkg/util/webhook"},
}

// ignoredDirs are directories with code that does not decide about manifests.
var ignoredDirs = regexp.MustCompile(`/(fuzzer|install|test|testing|tests|testdata)$|^pkg/registry/([^/]+/rest|[^/]+/[^/]+/storage|registrytest)$`)

// ignoredFiles repeat what types say.
var ignoredFiles = []string{"doc.go", "register.go", "types.go"}

// readDeclarations reads the declarations of the code that decides about manifests, by [declaration.id]. A version need not
// have all directories: code that moves is gone and new.
func readDeclarations(dirs directories) (map[string]*declaration, error) {
	all := map[string]*declaration{}
	for module, below := range codeDirs {
		root := dirs[module]
		for _, dir := range below {
			dir = filepath.Join(root, filepath.FromSlash(dir))
			if _, err := os.Stat(dir); root == "" || os.IsNotExist(err) {
				continue
			}
			err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				file, err := filepath.Rel(root, name)
				switch file = filepath.ToSlash(file); {
				case err != nil:
					return err
				case d.IsDir() && ignoredDirs.MatchString(file):
					return fs.SkipDir
				case d.IsDir() || !isCode(d.Name()):
					return nil
				}
				return addDeclarations(all, module, name, file)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no functions in k8s.io/kubernetes")
	}
	return all, nil
}

// isCode reports whether a file is Go code that people wrote, without the types of the public API.
func isCode(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "zz_") &&
		!slices.Contains(ignoredFiles, name)
}

// addDeclarations adds the declarations of a file, whose name in its module is file.
func addDeclarations(all map[string]*declaration, module, name, file string) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s := scope{pkg: strings.TrimPrefix(module, "k8s.io/") + "/" + path.Dir(file), imports: map[string]string{}}
	for _, spec := range f.Imports {
		s.addImport(spec)
	}
	add := func(n ast.Node, name string) {
		if name == "_" {
			return
		}
		d := &declaration{pkg: s.pkg, name: name, place: place{file, set.Position(n.Pos()).Line}, lines: linesOf(n)}
		d.sites, d.uses = sitesIn(set, n), s.uses(n)
		for n := 2; all[d.id()] != nil; n++ { // a file for another system, or an init function
			d.name = fmt.Sprintf("%s#%d", name, n)
		}
		all[d.id()] = d
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					add(v, v.Names[0].Name)
				}
			}
		}
	}
	return nil
}

// receiver returns the type of a method and a dot.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	return strings.TrimPrefix(exprText(d.Recv.List[0].Type), "*") + "."
}

// scope resolves names in a file.
type scope struct {
	pkg     string
	imports map[string]string // the packages of Kubernetes, by their names in the file
}

func (s scope) addImport(spec *ast.ImportSpec) {
	p, _ := strconv.Unquote(spec.Path.Value)
	rest, ok := strings.CutPrefix(p, "k8s.io/")
	if !ok {
		return
	}
	name := path.Base(p)
	if spec.Name != nil {
		name = spec.Name.Name
	}
	s.imports[name] = rest
}

// uses returns the declarations that a node names, and some that do not exist.
func (s scope) uses(n ast.Node) []string {
	var uses []string
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && s.imports[pkg.Name] != "" {
				uses = append(uses, s.imports[pkg.Name]+"."+n.Sel.Name)
				return false
			}
		case *ast.Ident:
			uses = append(uses, s.pkg+"."+n.Name)
		}
		return true
	})
	slices.Sort(uses)
	return slices.Compact(uses)
}

// marks are calls that tell which errors the server drops, and where they come from. They change no error.
var marks = regexp.MustCompile(`\s*\.\s*(Mark[A-Z]\w*|WithOrigin)\(("[^"]*")?\)`)

// linesOf returns the formatted lines of a declaration, without marks.
func linesOf(n ast.Node) []string {
	text := marks.ReplaceAllString(nodeText(n), "")
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func nodeText(n ast.Node) string {
	var text bytes.Buffer
	// A new file set forgets the lines of the file, so the formatter decides.
	if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(&text, token.NewFileSet(), n); err != nil {
		panic("a declaration cannot be printed: " + err.Error())
	}
	return text.String()
}

func exprText(e ast.Expr) string { return nodeText(e) }

var errorTypes = []string{
	"Duplicate", "Forbidden", "InternalError", "Invalid", "NotFound", "NotSupported", "Required", "TooFew", "TooLong",
	"TooLongCharacters", "TooLongMaxLength", "TooMany", "TooShort", "TypeInvalid",
}

// sitesIn returns the calls of constructors of field errors.
func sitesIn(set *token.FileSet, n ast.Node) []site {
	var sites []site
	covered := map[ast.Node]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		of, ok := unindexed(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of.Sel.Name == "MarkCoveredByDeclarative" {
			ast.Inspect(of.X, func(n ast.Node) bool {
				covered[n] = true
				return true
			})
		}
		if pkg, ok := of.X.(*ast.Ident); ok && pkg.Name == "field" && slices.Contains(errorTypes, of.Sel.Name) {
			text := strings.Join(strings.Fields(strings.TrimPrefix(marks.ReplaceAllString(nodeText(call), ""), "field.")), " ")
			sites = append(sites, site{text, set.Position(call.Pos()).Line, covered[call]})
		}
		return true
	})
	return sites
}

// unindexed returns the function of a call without its type arguments.
func unindexed(e ast.Expr) ast.Expr {
	if i, ok := e.(*ast.IndexExpr); ok {
		return i.X
	}
	return e
}

// kindsOf returns the kinds whose strategies reach a declaration, by [declaration.id].
func kindsOf(all map[string]*declaration, kinds map[string]string) map[string][]string {
	names := map[string]string{}
	for k := range kinds {
		_, name, _ := strings.Cut(k, " ")
		names[strings.ToLower(name)] = name
	}
	reach := map[string][]string{}
	for _, d := range all {
		dir, ok := strings.CutPrefix(d.pkg, "kubernetes/pkg/registry/")
		if !ok {
			continue
		}
		kind := path.Base(dir)
		if names[kind] != "" {
			kind = names[kind]
		}
		mark(all, reach, d, kind)
	}
	return reach
}

func mark(all map[string]*declaration, reach map[string][]string, d *declaration, kind string) {
	if d == nil || slices.Contains(reach[d.id()], kind) {
		return
	}
	reach[d.id()] = append(reach[d.id()], kind)
	for _, use := range d.uses {
		mark(all, reach, all[use], kind)
	}
}
