package upstream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// kind is an API version of a kind that a server can create, and the minor versions that serve it; 0 is an open end.
type kind struct {
	group, version, name, listKind, plural, scope string
	shortNames                                    []string
	typeName                                      string
	isEnabled                                     bool // by default
	since, until                                  int
}

func (k kind) id() [3]string { return [3]string{k.group, k.version, k.name} }

// resourceList is an APIResourceList of the discovery API.
type resourceList struct {
	GroupVersion string
	Resources    []struct {
		Name, Kind        string
		Namespaced        bool
		ShortNames, Verbs []string
	}
}

// crdGroup has kindvet's own validation, with embedded CRDs of its kinds.
const crdGroup = "apiextensions.k8s.io"

// internalGroup is for API servers only, and its types are not published.
const internalGroup = "internal.apiserver.k8s.io"

var stableVersion = regexp.MustCompile(`^v[0-9]+$`)

// readKinds reads api/discovery, which lists the kinds of a server with all API versions. Of these, servers enable the
// stable versions and a few old beta versions by default.
func readKinds(m Modules) ([]kind, error) {
	betas, err := readEnabledBetas(m)
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(m.Kubernetes, "api/discovery/api*__*.json"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no files in api/discovery: %w", err)
	}
	var kinds []kind
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var list resourceList
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
		kinds = append(kinds, list.kinds(betas)...)
	}
	return kinds, nil
}

// kinds returns those kinds of a list that can be created.
func (l resourceList) kinds(betas map[string]bool) []kind {
	group, version, ok := strings.Cut(l.GroupVersion, "/")
	if !ok {
		group, version = "", group
	}
	if group == crdGroup || group == internalGroup {
		return nil
	}
	var kinds []kind
	for _, r := range l.Resources {
		if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "create") {
			continue
		}
		k := kind{group: group, version: version, name: r.Kind, plural: r.Name, scope: "Cluster", shortNames: r.ShortNames}
		k.isEnabled = stableVersion.MatchString(version) || betas[packageOf(group)+"/"+version+"/"+r.Name]
		if r.Namespaced {
			k.scope = "Namespaced"
		}
		if slices.Contains(r.Verbs, "list") {
			k.listKind = r.Kind + "List"
		}
		k.typeName = packageOf(group) + "." + version + "." + r.Kind
		kinds = append(kinds, k)
	}
	return kinds
}

// packageOf returns the Go package of a group.
func packageOf(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// readEnabledBetas returns the beta resources that servers enable, as package/version/plural. The list is gone from
// Kubernetes 1.32 on.
func readEnabledBetas(m Modules) (map[string]bool, error) {
	f, err := parseGo(filepath.Join(m.Kubernetes, "pkg/controlplane/instance.go"))
	if err != nil {
		return nil, err
	}
	betas := map[string]bool{}
	ast.Inspect(f.File, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != "legacyBetaEnabledByDefaultResources" {
			return true
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			call := e.(*ast.CallExpr) // flowcontrolv1beta3.SchemeGroupVersion.WithResource("flowschemas")
			of := call.Fun.(*ast.SelectorExpr).X.(*ast.SelectorExpr).X.(*ast.Ident)
			plural, _ := basic(call.Args[0].(*ast.BasicLit))
			dir, version := filepath.Split(f.imports[of.Name])
			betas[filepath.Base(dir)+"/"+version+"/"+plural.(string)] = true
		}
		return false
	})
	return betas, nil
}

// mergeKinds returns the kinds of all versions, by group, version and name. The range of a kind that some of them enable has
// only these.
func mergeKinds(versions []version) []kind {
	first, last := versions[0].minor, versions[len(versions)-1].minor
	merged := map[[3]string]kind{}
	for _, v := range versions {
		for _, k := range v.kinds {
			k.since, k.until = v.minor, v.minor
			before, ok := merged[k.id()]
			switch {
			case ok && before.isEnabled && !k.isEnabled:
				continue
			case ok && before.isEnabled == k.isEnabled:
				k.since = before.since
			}
			merged[k.id()] = k
		}
	}
	var kinds []kind
	for _, k := range merged {
		k.since, k.until = open(k.since, first), open(k.until, last)
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		x, y := a.id(), b.id()
		return slices.Compare(x[:], y[:])
	})
	return kinds
}

// open returns 0 for the end of the range of supported versions.
func open(minor, end int) int {
	if minor == end {
		return 0
	}
	return minor
}

func writeKinds(kinds []kind) []byte {
	var out bytes.Buffer
	out.WriteString(licence)
	out.WriteString("# group, version, kind, list kind, plural, scope, short names, type, first and last minor version, default\n")
	for _, k := range kinds {
		names := strings.Join(k.shortNames, ",")
		since, until := minor(k.since), minor(k.until)
		served := "off"
		if k.isEnabled {
			served = "on"
		}
		writeLine(&out, k.group, k.version, k.name, k.listKind, k.plural, k.scope, names, k.typeName, since, until, served)
	}
	return out.Bytes()
}

// writeLine writes fields with tabs, and "-" for an empty field.
func writeLine(out *bytes.Buffer, fields ...string) {
	for i, f := range fields {
		if i > 0 {
			out.WriteByte('\t')
		}
		out.WriteString(cmp.Or(f, "-"))
	}
	out.WriteByte('\n')
}

func minor(m int) string {
	if m == 0 {
		return ""
	}
	return fmt.Sprint(m)
}
