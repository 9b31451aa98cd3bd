package chart

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/semver"
	"github.com/kindvet/kindvet/internal/source"
)

// Options say how a chart is rendered. The zero value renders for a release in the namespace default.
type Options struct {
	// Values replace those of the chart.
	Values Values
	// Release and Namespace name the release. "" means the name of the chart and "default".
	Release, Namespace string
	// Kubernetes is the minor version of Kubernetes 1. [Options.SetKubeVersion] replaces it.
	Kubernetes  int
	kubeVersion engine.KubeVersion
	// Helm is the major version of Helm whose output is that of the chart: [Helm3] or [Helm4]. 0 means Helm 3, and Helm 4 for a
	// chart that only it can read.
	Helm int
	// APIVersions are further API versions that the cluster serves.
	APIVersions []string
	// SkipsSchema means that values need not conform to values.schema.json.
	SkipsSchema bool
	// SkipsMissing means that the chart is rendered without dependencies that are not in charts/.
	SkipsMissing bool
	// Allowance limits what all charts that are rendered with it use; nil if there is no limit.
	Allowance *Allowance
}

// Output is what one template of a chart writes.
type Output struct {
	// Name is the name of the template in the output of Helm, such as shop/templates/deployment.yaml.
	Name string
	// Source holds the text. Its places are in the template, as [source.Source.Written] describes.
	Source *source.Source

	written   engine.Text
	suppliers *suppliers
}

// Rendered is a chart that has been rendered.
type Rendered struct {
	// Outputs are the templates that write something, sorted by name. They do not include notes.
	Outputs []Output
	// Violations are about the files of the chart, except its templates and crds. If IsFailed is set, one of them is why
	// the chart cannot be rendered. Then there are no outputs.
	Violations []diag.Violation
	IsFailed   bool
	// failure is why a template failed.
	failure fault
	// NeedsValues reports whether the reason is that a template calls required or fail, or that a value which
	// values.schema.json requires is not set.
	NeedsValues bool
	// IsRequired means that it is not a call of fail, which no value may prevent.
	IsRequired bool
	// Templates and ValueFiles are the files that the outputs were made of, including those of subcharts.
	Templates, ValueFiles []*source.Source
	crds                  []crdFile
	isPartial             bool // other values are set that are not known
}

// crdFile is a file of CRDs. Its name is that in the output of Helm.
type crdFile struct {
	name string
	src  *source.Source
}

func (c *Chart) crdFiles(list []crdFile) []crdFile {
	for _, src := range c.crds {
		list = append(list, crdFile{path.Join(c.fullPath(), strings.TrimPrefix(src.Name, path.Dir(c.src.Name)+"/")), src})
	}
	for _, sub := range c.subcharts {
		list = sub.crdFiles(list)
	}
	return list
}

func (c *Chart) templateSources(list []*source.Source) []*source.Source {
	for _, t := range c.templates {
		list = append(list, t.Source)
	}
	for _, sub := range c.subcharts {
		list = sub.templateSources(list)
	}
	return list
}

// render renders a copy of the loaded chart, whose dependencies it processes.
func (c *Chart) render(l *Loaded, o Options) ([]Output, error) {
	if f, ok := c.missing(o.Values); ok && !o.SkipsMissing {
		return nil, f
	}
	values, err := c.effective(o.Values)
	if err != nil {
		return nil, err
	}
	if !o.SkipsSchema {
		if err := c.checkValues(values, o.Values); err != nil {
			return nil, err
		}
	}
	cluster := engine.NewCapabilities(o.Kubernetes, o.APIVersions)
	cluster.KubeVersion = cmp.Or(o.kubeVersion, cluster.KubeVersion)
	if wanted := c.metadata.KubeVersion; wanted != "" && !isCompatible(wanted, cluster.KubeVersion.Version) {
		return nil, fault{
			rule:    diag.InvalidChart,
			message: "kubeVersion: the chart requires " + wanted + ", but the version is " + cluster.KubeVersion.Version,
			help:    "select another version with --kubernetes-version or --kube-version",
			at:      c.src.Place(lineOf(c.src, "kubeVersion")),
		}
	}
	top := map[string]any{"Values": values, "Capabilities": cluster, "Release": o.release(c.metadata)}
	return c.execute(l, &suppliers{
		loaded: l, selected: c, values: o.Values, top: top, isAlone: map[string]bool{},
		isReleaseKnown: o.Release != "" || c.metadata.Annotations[releaseAnnotation] != "",
	})
}

// effective selects the subcharts, and returns the values that the templates see.
func (c *Chart) effective(own Values) (map[string]any, error) {
	values := own.merged()
	if err := c.processDependencies(values); err != nil {
		return nil, err
	}
	return c.coalesced(values, false)
}

// SetKubeVersion sets the version of Kubernetes that templates see, as --kube-version of Helm does. It returns false
// if the text is not a version.
func (o *Options) SetKubeVersion(text string) bool {
	v, err := semver.NewVersion(text)
	if err != nil {
		return false
	}
	o.kubeVersion = engine.NewKubeVersion(v)
	return true
}

// IsKubeVersionSet reports whether SetKubeVersion has set a version.
func (o *Options) IsKubeVersionSet() bool { return o.kubeVersion != engine.KubeVersion{} }

// UnnamedRelease is the name that 'helm template' gives a release without a name.
const UnnamedRelease = "release-name"

const releaseAnnotation = "catalog.cattle.io/release-name"

// release returns the release that templates see. The annotations of a chart may name the release and the namespace
// that Rancher installs it with; some of these charts fail with any other. Otherwise the release has the name of the
// chart, as most have: names that templates make of both are not longer than those that are deployed.
func (o Options) release(of *Metadata) map[string]any {
	name := cmp.Or(o.Release, of.Annotations[releaseAnnotation], of.Name)
	if o.Release == "" && !IsReleaseName(name) {
		name = UnnamedRelease
	}
	namespace := cmp.Or(o.Namespace, of.Annotations["catalog.cattle.io/namespace"], "default")
	return map[string]any{
		"Name": name, "Namespace": namespace, "IsUpgrade": false, "IsInstall": true, "Revision": 1, "Service": "Helm",
	}
}

// IsReleaseName reports whether Helm allows a text as the name of a release (pkg/chartutil/validate_name.go).
func IsReleaseName(text string) bool {
	return len(text) <= longestRelease && releasePattern().MatchString(text)
}

var releasePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
})

// longestRelease is the maximum length of the name of a release (Helm's pkg/chartutil/validate_name.go).
const longestRelease = 53

// notes is the name of the template with the text that Helm prints for the user.
const notes = "NOTES.txt"

// execute renders all templates. Notes are rendered because they may fail, but they are not manifests.
func (c *Chart) execute(l *Loaded, by *suppliers) ([]Output, error) {
	list := map[string]engine.Template{}
	c.scopes(by.top, list)
	parsed, err := engine.Parse(l.budget, list, l.parsed, c.isHelm4)
	if err != nil {
		return nil, faultOf(err)
	}
	l.parsed = parsed
	l.budget.Share(by.top["Values"])
	for _, f := range c.files {
		l.budget.Note(len(f.Text))
	}
	var outputs []Output
	for i, name := range parsed.Names {
		if strings.HasPrefix(path.Base(name), "_") {
			continue
		}
		text, ok, err := parsed.Execute(name, list[name])
		if err != nil {
			err := faultOf(err)
			if f, ok := err.(fault); ok {
				f.order = append([]int{i}, f.order...)
				return nil, f
			}
			return nil, err
		}
		if ok && !strings.HasSuffix(name, notes) {
			outputs = append(outputs, Output{Name: name, Source: text.Source, written: text, suppliers: by})
		}
	}
	by.parsed = parsed
	slices.SortFunc(outputs, func(a, b Output) int { return strings.Compare(a.Name, b.Name) })
	return outputs, nil
}
