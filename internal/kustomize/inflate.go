package kustomize

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// inflated is a chart as it was rendered last, and the paths of its files.
type inflated struct {
	loaded *chart.Loaded
	files  []string
}

// mostInflated is the maximum number of charts that the kustomizations of a repository inflate. Each is kept in
// memory. 29 public repositories inflate at most one. Raise it if a repository inflates 100.
const mostInflated = 200

// inflator renders a chart of a layer.
type inflator struct {
	vetter
	types.HelmGlobals
	types.HelmChart
	node manifest.Node // where the layer, or the configuration of a generator, has the chart
	via  manifest.Node // where the layer names it
	dir  string        // of the chart, relative to the top
	// values are the sources of merged values.
	values []*source.Source
}

// charts renders the charts in helmCharts. The library gets the output in a component, which it adds to the objects
// after it has run its generators, as it does with charts.
func (v vetter) charts() *Fault {
	k := &v.layer.fields
	globals := types.HelmGlobals{}
	if k.HelmGlobals != nil {
		globals = *k.HelmGlobals
	}
	for i, c := range k.HelmCharts {
		n := v.layer.at("helmCharts", i)
		if fault := v.inflate(globals, c, n, n); fault != nil {
			return fault
		}
	}
	k.HelmCharts, k.HelmGlobals = nil, nil
	return nil
}

// generator renders the chart of a HelmChartInflationGenerator. n is where the layer names the file with it.
func (v vetter) generator(config, n manifest.Node) *Fault {
	var c struct {
		types.HelmGlobals
		types.HelmChart
	}
	if err := json.Unmarshal(config.AppendJSON(nil), &c); err != nil {
		return v.layer.fault(place(n), causeOf(err))
	}
	return v.inflate(c.HelmGlobals, c.HelmChart, config, n)
}

func (v vetter) inflate(globals types.HelmGlobals, c types.HelmChart, n, via manifest.Node) *Fault {
	f := &inflator{vetter: v, HelmGlobals: globals, HelmChart: c, node: n, via: via}
	switch fault := f.find(); {
	case fault == nil:
	case v.layer.leaveOut(fault):
		return nil
	default:
		return fault
	}
	options := v.repository.Charts
	if fault := f.setOptions(&options); fault != nil {
		return fault
	}
	if fault := f.setValues(&options); fault != nil {
		if v.layer.leaveOut(fault) {
			return nil
		}
		return fault
	}
	if v.repository.inflated++; v.repository.inflated > mostInflated {
		return v.layer.limit(fmt.Sprintf("the kustomizations inflate more than %d charts", mostInflated))
	}
	return f.render(options)
}

// find finds the directory of the chart.
func (f *inflator) find() *Fault {
	home := f.ChartHome
	if home == "" {
		home = types.HelmDefaultHome
	}
	if f.Name == "" {
		return f.layer.fault(place(f.node), "the chart has no name")
	}
	below := f.Name
	if f.Version != "" && f.Repo != "" {
		below = path.Join(f.Name+"-"+f.Version, f.Name)
	}
	var ok bool
	if f.dir, ok = within(f.layer.dir, home); ok {
		f.dir, ok = within(f.dir, below)
	}
	name := path.Join(home, below)
	switch {
	case !ok || path.IsAbs(home):
		return f.layer.unsupported(f.via, diag.Quote(name)+" is outside of the repository or the checked directory")
	case !f.repository.reader.IsDirectory(f.dir):
		return f.missing(name)
	}
	return nil
}

// missing returns the fault that the chart has not been fetched.
func (f *inflator) missing(name string) *Fault {
	fault := f.layer.unsupported(f.via, "the chart "+diag.Quote(name)+" does not exist")
	fault.Violation.Help = "add its directory; kustomize cannot fetch it without a repo"
	if f.Repo == "" {
		return fault
	}
	words := []string{f.Repo, f.Name, "./" + f.Version, path.Dir(f.repository.reader.Name(f.dir))}
	if slices.ContainsFunc(words, func(word string) bool { return !plainWord().MatchString(word) }) {
		fault.Violation.Help = "fetch it with 'helm pull --untar'"
		return fault
	}
	from := "--repo " + f.Repo + " " + f.Name
	if strings.HasPrefix(f.Repo, "oci://") {
		from = strings.TrimSuffix(f.Repo, "/") + "/" + f.Name
	}
	if f.Version != "" {
		from += " --version " + f.Version
	}
	fault.Violation.Help = "fetch it: helm pull " + from + " --untar --untardir " + words[3]
	return fault
}

// plainWord matches what a shell takes for a single word, and helm for no flag.
var plainWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9_./][a-zA-Z0-9_./:@+-]*$`)
})

// at returns a field of the chart, or the chart.
func (f *inflator) at(field string) source.Place { return place(fieldOf(f.node, field)) }

// setOptions sets what flags of 'helm template' would set.
func (f *inflator) setOptions(o *chart.Options) *Fault {
	o.Release, o.Namespace = cmp.Or(f.ReleaseName, chart.UnnamedRelease), f.Namespace
	if f.NameTemplate != "" {
		if f.ReleaseName != "" {
			return f.layer.fault(f.at("nameTemplate"), "a chart cannot have both releaseName and nameTemplate")
		}
		var ok bool
		if o.Release, ok = nameOf(f.NameTemplate, *o); !ok {
			return f.layer.fault(f.at("nameTemplate"), "the template of the name fails")
		}
	}
	if name := o.Release; !chart.IsReleaseName(name) {
		field := "releaseName"
		if f.NameTemplate != "" {
			field = "nameTemplate"
		}
		return f.layer.fault(f.at(field), diag.Quote(name)+" is not a valid name of a release")
	}
	if f.KubeVersion != "" && !o.IsKubeVersionSet() && !o.SetKubeVersion(f.KubeVersion) {
		return f.layer.fault(f.at("kubeVersion"), diag.Quote(f.KubeVersion)+" is not a version")
	}
	if len(o.APIVersions) == 0 {
		for _, list := range f.ApiVersions {
			o.APIVersions = append(o.APIVersions, strings.Split(list, ",")...)
		}
	}
	return nil
}

// nameOf returns what a template of a name writes.
func nameOf(template string, o chart.Options) (string, bool) {
	if !strings.Contains(template, "{{") {
		return template, true
	}
	r := chart.Render("name", []chart.File{
		{Name: "Chart.yaml", Text: "apiVersion: v2\nname: name\nversion: 0.1.0\n"}, {Name: "templates/name", Text: template},
	}, chart.Options{Kubernetes: o.Kubernetes, Allowance: o.Allowance})
	if len(r.Outputs) != 1 {
		return "", false
	}
	return r.Outputs[0].Source.Text, true
}

// render renders the chart, and adds the output to the layer.
func (f *inflator) render(o chart.Options) *Fault {
	l := f.layer
	loaded, fault := f.load()
	if fault != nil {
		return fault
	}
	in := &inflation{via: place(f.via), values: f.values}
	in.rendered = loaded.Render(o)
	if in.rendered.IsFailed {
		return f.failed(in.rendered.Violations[len(in.rendered.Violations)-1])
	}
	name := path.Join(l.dir, inflatedDir, fmt.Sprintf("chart-%d.yaml", len(l.inflations)))
	stream, rejected := in.rendered.Stream(
		f.repository.reader.Name(name),
		chart.StreamOptions{IncludeCRDs: f.IncludeCRDs, SkipHooks: f.SkipHooks, SkipTests: f.SkipTests},
	)
	if rejected != nil {
		return f.failed(*rejected)
	}
	in.stream = stream
	text := stream.Source.Text
	if l.inflations == nil {
		l.inflations = map[string]*inflation{}
	}
	l.inflations[name] = in
	l.bytes += len(text)
	l.documents += documentsIn(text)
	l.largest = max(l.largest, len(text))
	l.references.add(text)
	in.document = &document{src: stream.Source, inflation: in}
	return nil
}

// load loads the chart. All inflations of a chart share a budget.
func (f *inflator) load() (*chart.Loaded, *Fault) {
	known, r := f.repository.charts[f.dir], f.repository
	if known == nil {
		files, err := r.reader.Chart(f.dir)
		if err != nil {
			return nil, f.layer.fault(place(f.via), causeOf(err))
		}
		known = &inflated{loaded: chart.Load(r.reader.Name(f.dir), files)}
		for _, x := range files {
			known.files = append(known.files, path.Join(f.dir, x.Name))
		}
		r.charts[f.dir] = known
	} else {
		known.loaded = known.loaded.Again()
	}
	f.layer.files, f.layer.charts = append(f.layer.files, known.files...), append(f.layer.charts, f.dir)
	return known.loaded, nil
}

// failed returns the fault that the chart cannot be rendered.
func (f *inflator) failed(v diag.Violation) *Fault {
	v.Place.Detach()
	v.Related = append(slices.Clip(v.Related), diag.Related{Place: place(f.via), Message: "included here"})
	for i := range v.Related {
		v.Related[i].Place.Detach()
	}
	return &Fault{Violation: v, File: f.layer.file}
}
