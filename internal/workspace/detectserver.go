package workspace

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// serverFlags are the flags of an API server that matter, and the keys of a kind cluster for the same.
var serverFlags = []string{"feature-gates", "runtime-config", "featureGates", "runtimeConfig"}

// addServer records the feature gates and APIs that a file turns on for the API server of a cluster:
//
//   - apiServer.extraArgs, of kubeadm, Cluster API and Talos: a map, or a list of names and values;
//   - kube-apiserver-arg of k3s and RKE2, and arguments of k3d;
//   - featureGates and runtimeConfig of a kind cluster.
//
// A text inside of a file, such as a patch of Talos, is read as well.
func (d *detection) addServer(src *source.Source) {
	for _, flag := range serverFlags {
		if strings.Contains(src.Text, flag) {
			d.readServer(src, true)
			return
		}
	}
}

func (d *detection) readServer(src *source.Source, isFile bool) {
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if len(tree.Read(src, part)) > 0 || !tree.Root().Valid() {
			continue
		}
		root := tree.Root()
		if strings.HasPrefix(root.TextAt("apiVersion"), "kind.x-k8s.io/") {
			d.addSwitches(&d.gates, root.At("featureGates"))
			d.addSwitches(&d.apis, root.At("runtimeConfig"))
		}
		d.walkServer(root, isFile)
	}
}

// walkServer looks for arguments of an API server in a node and below. isFile allows texts inside of the file.
func (d *detection) walkServer(n manifest.Node, isFile bool) {
	switch {
	case n.Type() == manifest.String && isFile && strings.Contains(n.Text(), "\n") && strings.Contains(n.Text(), "apiServer"):
		d.readServer(&source.Source{Name: n.Tree().Source.Name, Text: n.Text()}, false)
	case n.Type() == manifest.String:
		// --kube-apiserver-arg=feature-gates=A=true
		if _, argument, ok := strings.Cut(n.Text(), "kube-apiserver-arg="); ok {
			d.addArgument(argument)
		}
	case n.Key() == "extraArgs" && n.Parent().Key() == "apiServer":
		d.addArguments(n)
	case n.Key() == "kube-apiserver-arg":
		if n.Type() != manifest.List {
			d.addArgument(n.Text())
		}
		for item := range n.Children() {
			d.addArgument(item.Text())
		}
	default:
		for child := range n.Children() {
			d.walkServer(child, isFile)
		}
	}
}

// addArguments records a map of arguments, whose values may be lists, or a list of names and values.
func (d *detection) addArguments(n manifest.Node) {
	for f := range n.Children() {
		name, value := f.Key(), f
		if n.Type() == manifest.List {
			name, value = f.TextAt("name"), f.At("value")
		}
		texts := []string{value.Text()}
		if value.Type() == manifest.List {
			texts = nil
			for item := range value.Children() {
				texts = append(texts, item.Text())
			}
		}
		for _, text := range texts {
			d.addArgument(name + "=" + text)
		}
	}
}

// addArgument records an argument such as --feature-gates=A=true,B=false.
func (d *detection) addArgument(text string) {
	name, value, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	into := map[string]*map[string]bool{"feature-gates": &d.gates, "runtime-config": &d.apis}[name]
	if into == nil {
		return
	}
	for entry := range strings.SplitSeq(value, ",") {
		name, value, ok := strings.Cut(entry, "=")
		if !ok {
			value = "true" // as --runtime-config allows
		}
		d.addSwitch(into, name, value)
	}
}

// addTemplate records the arguments of an API server in a template, such as feature-gates: A=true,B=true.
func (d *detection) addTemplate(text string) {
	for _, m := range templateArgument().FindAllStringSubmatch(text, config.MostDetected) {
		d.addArgument(m[1] + "=" + m[2])
	}
}

var templateArgument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(feature-gates|runtime-config)["']?\s*[:=]\s*["']?([A-Za-z0-9=,./]+)`)
})

// addSwitches records the fields of a map.
func (d *detection) addSwitches(into *map[string]bool, fields manifest.Node) {
	for f := range fields.Children() {
		value := f.Text()
		if f.Type() == manifest.Boolean {
			value = strconv.FormatBool(f.Boolean())
		}
		d.addSwitch(into, f.Key(), value)
	}
}

// addSwitch records a gate or an API, and whether it is on. What one cluster turns on is on: an error should be one for all of
// them.
func (d *detection) addSwitch(into *map[string]bool, name, value string) {
	on, err := strconv.ParseBool(strings.TrimSpace(value))
	name = strings.Clone(strings.TrimSpace(name))
	if err != nil || name == "" || into == &d.apis && !catalog.IsAPI(name) {
		return
	}
	if _, isMisspelled := catalog.NearestGate(name); into == &d.gates && isMisspelled {
		return
	}
	if *into == nil {
		*into = map[string]bool{}
	}
	if len(*into) < config.MostDetected {
		(*into)[name] = (*into)[name] || on
	}
}
