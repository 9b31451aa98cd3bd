package kustomize

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// generators and transformers are the fields with plugins. Generators of the kind inflationGenerator render charts.
const (
	generators         = "generators"
	transformers       = "transformers"
	inflationGenerator = "HelmChartInflationGenerator"
)

// configEnd ends each configuration of a plugin, as the library gets it.
const configEnd = "\n---\n"

// plugins looks up the configurations of generators, transformers and validators. Only those that are part of the
// library are run, those in the kustomization before those in files (api/internal/target,
// configureExternalTransformers).
func (v vetter) plugins() *Fault {
	k := &v.layer.fields
	for _, list := range []struct {
		name  string
		paths *[]string
	}{{generators, &k.Generators}, {transformers, &k.Transformers}, {"validators", &k.Validators}} {
		var inlined, paths []string
		var kept, last []int
		for i, name := range *list.paths {
			n := v.layer.item(name, list.name)
			doc, fault := v.config(list.name, name, n)
			if v.leaveOutPlugin(list.name, fault) {
				continue
			}
			if fault != nil {
				return fault
			}
			vetted, fault := v.plugin(list.name, doc, n)
			if fault != nil {
				return fault
			}
			if vetted == "" {
				continue
			}
			written := fmt.Sprintf("./.kindvet-%s-%d.yaml", list.name, i)
			doc.vetted, doc.vettedRoots = path.Join(v.layer.dir, written), strings.Count(vetted, configEnd)
			v.layer.texts[doc.vetted] = vetted
			if list.name == transformers {
				v.layer.configs = append(v.layer.configs, doc)
			}
			if isInline(name) {
				inlined, kept = append(inlined, written), append(kept, i)
			} else {
				paths, last = append(paths, written), append(last, i)
			}
		}
		*list.paths = append(inlined, paths...)
		for _, i := range append(kept, last...) {
			v.layer.keep(list.name, i)
		}
	}
	return nil
}

// leaveOutPlugin is like [layer.leaveOut]. What transformers and validators do comes after all else in a layer.
func (v vetter) leaveOutPlugin(list string, fault *Fault) bool {
	if !v.layer.leaveOut(fault) {
		return false
	}
	fault.adds = list == generators
	return true
}

// config returns the configuration of plugins: a file, or a text in the kustomization. Those that a directory builds are not
// run. Without such transformers, which may change all objects, the kustomization is not built.
func (v vetter) config(list, name string, n manifest.Node) (*document, *Fault) {
	if isInline(name) {
		doc := inline(v.layer.src, n, name)
		doc.src.Written = doc.origin
		return doc, nil
	}
	if _, full, fault := v.local(name, n); fault == nil && v.repository.reader.IsDirectory(full) {
		fault = v.layer.unsupported(n, "the "+list+" in the directory "+diag.Quote(name)+" are not run")
		fault.isAbsent = list != transformers
		return nil, fault
	}
	_, full, text, fault := v.file(name, n)
	if fault != nil {
		return nil, fault
	}
	return &document{src: &source.Source{Name: v.repository.reader.Name(full), Text: text}}, nil
}

// isInline reports whether an item of a list of plugins is their configuration, not the name of a file.
func isInline(item string) bool { return strings.ContainsAny(item, "\n{") }

// plugin returns the configuration of plugins as the library gets it: written again, so that it has no other meaning
// for the library than for this package.
func (v vetter) plugin(list string, doc *document, n manifest.Node) (string, *Fault) {
	var written []byte
	for _, root := range doc.objects() {
		kind, isBuiltin := root.TextAt("kind"), root.TextAt("apiVersion") == "builtin"
		if list == generators && isBuiltin && kind == inflationGenerator {
			if fault := v.generator(root, n); fault != nil {
				return "", fault
			}
			continue
		}
		if !isBuiltin || kind == inflationGenerator || kind == "ResourceGenerator" {
			v.leaveOutPlugin(list, v.layer.unsupported(n, "the plugin "+diag.Quote(kind)+" is not run"))
			continue
		}
		if name, ok := remoteIn(root); ok {
			v.leaveOutPlugin(list, v.layer.remote(n, name))
			continue
		}
		v.pluginTexts(doc, root)
		written = append(appendConfig(written, root), configEnd...)
	}
	return string(written), nil
}

// appendConfig appends a configuration as JSON. Plain words such as yes and on are strings, as for the library, which
// reads them by YAML 1.2.
func appendConfig(b []byte, n manifest.Node) []byte {
	if n.Type() == manifest.Boolean && !n.Tagged() &&
		!slices.Contains([]string{"true", "false"}, strings.ToLower(n.Raw())) {
		return strconv.AppendQuote(b, n.Raw())
	}
	if n.Type() != manifest.Map && n.Type() != manifest.List {
		return n.AppendJSON(b)
	}
	brackets := map[manifest.Type]string{manifest.Map: "{}", manifest.List: "[]"}[n.Type()]
	b = append(b, brackets[0])
	isFirst := true
	for child := range n.Children() {
		if child.Shadowed() {
			continue
		}
		if !isFirst {
			b = append(b, ',')
		}
		isFirst = false
		if n.Type() == manifest.Map {
			key, _ := json.Marshal(child.Key())
			b = append(append(b, key...), ':')
		}
		b = appendConfig(b, child)
	}
	return append(b, brackets[1])
}

// remoteIn returns a string below a node that the library may take for a URL or a repository. It is strict, because
// a configuration of a plugin rarely has a string that looks like one.
func remoteIn(n manifest.Node) (string, bool) {
	if n.Type() == manifest.String {
		lower := strings.ToLower(n.Text())
		before, _, hasAt := strings.Cut(lower, "@")
		isURL := strings.HasPrefix(lower, "http:") || strings.HasPrefix(lower, "https:") || strings.Contains(lower, "://")
		isRepository := strings.HasPrefix(lower, "git::") || strings.HasPrefix(lower, "github.com")
		isUser := hasAt && !strings.ContainsAny(before, " /.:\n")
		return n.Text(), isURL || isRepository || isUser
	}
	for child := range n.Children() {
		if name, ok := remoteIn(child); ok {
			return name, true
		}
	}
	return "", false
}
