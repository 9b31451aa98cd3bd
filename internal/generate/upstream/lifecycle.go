package upstream

import (
	"bytes"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// lifecycle is the life of an API version of a kind. A minor version of 0 is unknown or not planned.
type lifecycle struct {
	group, version, kind            string
	introduced, deprecated, removed int
	replacement                     string // group/version/Kind, or version/Kind
}

func (l lifecycle) id() [3]string { return [3]string{l.group, l.version, l.kind} }

// readLifecycles reads the lifecycles in each package of k8s.io/api: the generated file and the one that is not, which
// deprecates kinds of a stable version.
func readLifecycles(m Modules) ([]lifecycle, error) {
	generated, err := filepath.Glob(filepath.Join(m.API, "*", "*", "zz_generated.prerelease-lifecycle.go"))
	if err != nil || len(generated) == 0 {
		return nil, fmt.Errorf("no lifecycles in k8s.io/api: %v", err)
	}
	written, _ := filepath.Glob(filepath.Join(m.API, "*", "*", "lifecycle.go"))
	kinds := map[[3]string]*lifecycle{}
	for _, name := range slices.Concat(generated, written) {
		if !isServedGroup(name) {
			continue
		}
		if err := readLifecyclesOf(name, kinds); err != nil {
			return nil, err
		}
	}
	var all []lifecycle
	for _, l := range kinds {
		all = append(all, *l)
	}
	return all, nil
}

// isServedGroup reports whether a file is about objects of an API server. The other groups are about requests to
// webhooks and answers about the API, which are in files too, for example for tests of policies.
func isServedGroup(name string) bool {
	parent := filepath.Base(filepath.Dir(filepath.Dir(name)))
	return parent != "admission" && parent != "apidiscovery" && parent != "imagepolicy"
}

// readLifecyclesOf reads the lifecycles in a file. It ignores lists, which live as long as their items.
func readLifecyclesOf(name string, kinds map[[3]string]*lifecycle) error {
	dir := filepath.Dir(name)
	group, err := groupName(dir)
	if err != nil {
		return err
	}
	f, err := parseGo(name)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		kind := fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
		if strings.HasSuffix(kind, "List") || strings.HasSuffix(kind, "Options") {
			continue
		}
		l := lifecycle{group: group, version: filepath.Base(dir), kind: kind}
		if kinds[l.id()] == nil {
			kinds[l.id()] = &l
		}
		if err := kinds[l.id()].set(f, fn); err != nil {
			return fmt.Errorf("%s/%s: %w", group, kind, err)
		}
	}
	return nil
}

// set sets what one of the generated functions returns.
func (l *lifecycle) set(f goFile, fn *ast.FuncDecl) error {
	results := fn.Body.List[0].(*ast.ReturnStmt).Results
	v, err := f.value(last(results)) // the minor version; the major version before it is 1
	if err != nil {
		return err
	}
	switch fn.Name.Name {
	case "APILifecycleIntroduced":
		l.introduced = v.(int)
	case "APILifecycleDeprecated":
		l.deprecated = v.(int)
	case "APILifecycleRemoved":
		l.removed = v.(int)
	case "APILifecycleReplacement":
		to := v.(map[string]any)
		l.replacement = strings.TrimPrefix(fmt.Sprintf("%s/%s/%s", to["Group"], to["Version"], to["Kind"]), "/")
	default:
		return fmt.Errorf("unknown function %s", fn.Name.Name)
	}
	return nil
}

// groupName reads the constant GroupName of a package.
func groupName(dir string) (string, error) {
	f, err := parseGo(filepath.Join(dir, "register.go"))
	if err != nil {
		return "", err
	}
	name, found := "", false
	ast.Inspect(f.File, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "GroupName" {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				name, _ = strconv.Unquote(value.Value)
				found = true
			}
		}
		return true
	})
	if !found {
		return "", fmt.Errorf("%s: no constant GroupName", dir)
	}
	return name, nil
}

// mergeLifecycles returns the API versions that are deprecated, removed or not enabled at some time, as the newest
// version that mentions them says.
func mergeLifecycles(versions []version, kinds []kind) []lifecycle {
	merged := map[[3]string]lifecycle{}
	for _, v := range versions {
		for _, l := range v.lifecycles {
			merged[l.id()] = l
		}
	}
	addServed(merged, versions)
	var all []lifecycle
	for _, l := range merged {
		if l.deprecated == 0 && l.removed == 0 && stableVersion.MatchString(l.version) {
			continue
		}
		if to := stableVersionOf(l, kinds); to != "" && !stableVersion.MatchString(l.version) {
			l.replacement = to
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b lifecycle) int {
		x, y := a.id(), b.id()
		return slices.Compare(x[:], y[:])
	})
	return all
}

// addServed adds what the versions serve in fact. Alpha versions often go earlier than announced, and some of them
// have no announcement.
func addServed(merged map[[3]string]lifecycle, versions []version) {
	first, newest := versions[0].minor, last(versions).minor
	since, until := map[[3]string]int{}, map[[3]string]int{}
	for _, v := range versions {
		for _, k := range v.kinds {
			if since[k.id()] == 0 {
				since[k.id()] = v.minor
			}
			until[k.id()] = v.minor
		}
	}
	for id := range since {
		l := merged[id]
		l.group, l.version, l.kind = id[0], id[1], id[2]
		if l.introduced == 0 {
			l.introduced = open(since[id], first)
		}
		if until[id] != newest {
			l.removed = until[id] + 1
			if l.deprecated >= l.removed {
				l.deprecated = 0
			}
		}
		merged[id] = l
	}
}

// stableVersionOf returns the newest stable version of a kind, or "" if there is none. Upstream does not name all
// replacements, and some that it names are gone.
func stableVersionOf(l lifecycle, kinds []kind) string {
	newest := ""
	for _, k := range kinds {
		if k.group == l.group && k.name == l.kind && k.until == 0 && stableVersion.MatchString(k.version) {
			newest = strings.TrimPrefix(k.group+"/"+k.version+"/"+k.name, "/")
		}
	}
	return newest
}

func writeLifecycles(all []lifecycle) []byte {
	var out bytes.Buffer
	out.WriteString(licence)
	out.WriteString("# group, version, kind, minor versions that introduce, deprecate and remove it, replacement\n")
	for _, l := range all {
		minors := []string{minor(l.introduced), minor(l.deprecated), minor(l.removed)}
		writeLine(&out, slices.Concat([]string{l.group, l.version, l.kind}, minors, []string{l.replacement})...)
	}
	return out.Bytes()
}
