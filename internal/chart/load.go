package chart

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/archive"
	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Limits of the files of a chart, in bytes: those of Helm (pkg/chart/loader/archive.go).
const (
	MaxFile  = 5 << 20
	MaxChart = 100 << 20
	MaxFiles = 20_000
)

// maxDepth is the maximum number of charts that contain each other. Charts are loaded recursively, and an archive may
// contain archives. Raise it if a real chart is rejected.
const maxDepth = 50

const (
	chartFile    = "Chart.yaml"
	templatesDir = "templates/"
	chartsDir    = "charts/"
	bom          = "\ufeff"
)

// load makes a chart of its files (Helm's pkg/chart/loader, LoadFiles). name is the name of its directory or
// archive in a report. A map of subcharts has no order there; here they are sorted by directory.
func load(name string, files []File) (*Chart, error) { return new(loader).load(name, files, 0) }

// loader loads a chart with its subcharts.
type loader struct{ unpacked, bytes int } // files of archives, and their size

func (l *loader) load(name string, files []File, depth int) (*Chart, error) {
	c := &Chart{src: &source.Source{Name: path.Join(name, chartFile)}}
	if depth > maxDepth {
		return nil, fault{message: "the charts are nested too deeply", at: c.src.Place(source.Span{})}
	}
	for _, f := range files {
		if f.Name == chartFile && lfs.IsPointer(f.Text) {
			c.src.Text = f.Text
			return nil, pointer(c.src)
		}
		if f.Name == chartFile {
			c.src.Text, c.metadata, c.dependenciesSrc = f.Text, &Metadata{}, c.src
			if err := unmarshalTyped(c.src, c.metadata); err != nil {
				return nil, err
			}
		}
	}
	if c.metadata == nil {
		return nil, fault{message: "Chart.yaml not found", at: c.src.Place(source.Span{})}
	}
	if c.metadata.APIVersion == "" {
		c.metadata.APIVersion = "v1"
	}
	subcharts := map[string][]File{}
	for _, f := range files {
		if err := c.addFile(name, f, subcharts); err != nil {
			return nil, err
		}
	}
	if faults := c.invalidMetadata(); len(faults) > 0 {
		return nil, faults
	}
	slices.SortFunc(c.templates, func(a, b *engine.File) int { return strings.Compare(a.Name, b.Name) })
	return c, l.loadSubcharts(c, name, subcharts, depth)
}

// isRead reports whether Helm reads a file of a chart, and not only its templates.
func isRead(name string) bool {
	switch name {
	case chartFile, "Chart.lock", "values.yaml", "values.schema.json", "requirements.yaml", "requirements.lock":
		return true
	}
	return strings.HasPrefix(name, templatesDir) || strings.HasPrefix(name, "crds/")
}

// pointer returns the fault that a file is in Git LFS and was not fetched.
func pointer(src *source.Source) fault {
	return fault{
		rule: diag.MissingDependency, at: src.Place(source.Span{}), help: lfs.Help,
		message: diag.Quote(path.Base(src.Name)) + " is a Git LFS pointer, so the chart is not rendered",
	}
}

// addFile adds a file to the chart, or to those of a subchart.
func (c *Chart) addFile(dir string, f File, subcharts map[string][]File) error {
	isArchived := strings.Contains(dir+"/", archiveExtension+"/")
	src := &source.Source{Name: path.Join(dir, f.Name), Text: f.Text, Archived: isArchived}
	rest, isBelowCharts := strings.CutPrefix(f.Name, chartsDir)
	if lfs.IsPointer(f.Text) && (isBelowCharts || isRead(f.Name)) {
		return pointer(src)
	}
	switch {
	case f.Name == chartFile:
	case f.Name == "Chart.lock":
		return c.readLock(src)
	case f.Name == "values.yaml":
		c.values, c.valuesSrc = map[string]any{}, src
		return unmarshal(src, &c.values)
	case f.Name == "values.schema.json":
		c.schema = f.Text
	case f.Name == "requirements.yaml", f.Name == "requirements.lock":
		if c.metadata.APIVersion == "v1" {
			c.files = append(c.files, f)
		}
		if f.Name == "requirements.lock" {
			return c.readLock(src)
		}
		if _, ok := rootOf(src).field("dependencies"); ok {
			c.dependenciesSrc = src
		}
		return unmarshalTyped(src, c.metadata)
	case strings.HasPrefix(f.Name, templatesDir):
		c.templates = append(c.templates, &engine.File{Name: f.Name, Source: src})
	case isBelowCharts && path.Ext(f.Name) != ".prov":
		first, _, _ := strings.Cut(rest, "/")
		subcharts[first] = append(subcharts[first], File{rest, f.Text})
	default:
		if strings.HasPrefix(f.Name, "crds/") && slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(f.Name)) {
			c.crds = append(c.crds, src)
		}
		c.files = append(c.files, f)
	}
	return nil
}

func (l *loader) loadSubcharts(c *Chart, dir string, subcharts map[string][]File, depth int) error {
	var names []string
	for name := range subcharts {
		names = append(names, name)
	}
	slices.Sort(names)
	var loaded []*Chart
	for _, name := range names {
		sub, ok, err := l.loadSubchart(path.Join(dir, chartsDir, name), name, subcharts[name], depth+1)
		if err != nil {
			return err
		}
		if ok {
			loaded = append(loaded, sub)
		}
	}
	c.setSubcharts(loaded)
	return nil
}

// loadSubchart loads the chart in a directory or archive below charts. It returns false for what is not a chart.
func (l *loader) loadSubchart(dir, name string, files []File, depth int) (*Chart, bool, error) {
	if strings.IndexAny(name, "_.") == 0 {
		return nil, false, nil
	}
	if path.Ext(name) == archiveExtension {
		unpacked, err := l.unpack(files[0].Text)
		if err != nil {
			return nil, false, fault{message: "unreadable archive: " + err.Error(), at: source.FileStart(dir)}
		}
		sub, err := l.load(dir, unpacked, depth)
		return sub, err == nil, err
	}
	var own []File
	for _, f := range files {
		if _, rest, ok := strings.Cut(f.Name, "/"); ok {
			own = append(own, File{rest, f.Text})
		}
	}
	sub, err := l.load(dir, own, depth)
	return sub, err == nil, err
}

// unpack is Unpack with the limits of one chart for all archives in it together.
func (l *loader) unpack(text string) ([]File, error) {
	files, err := Unpack(text)
	l.unpacked += len(files)
	for _, f := range files {
		l.bytes += len(f.Text)
	}
	if err == nil && (l.unpacked > MaxFiles || l.bytes > MaxChart) {
		err = errors.New("the archives of the chart have too many files, or files that are too large")
	}
	return files, err
}

// Unpack returns the files of a chart archive. Their first directory is the chart. If several files have the same
// path, the last one counts.
func Unpack(text string) (files []File, err error) {
	numbers := map[string]int{}
	limits := archive.Limits{Total: MaxChart, File: MaxFile, Entries: MaxFiles}
	err = archive.ReadTarGzip(strings.NewReader(text), limits, archive.Wanted{
		Path: func(name string) bool { return strings.Contains(name, "/") },
		Found: func(name, text string) error {
			_, rest, _ := strings.Cut(name, "/")
			at, ok := numbers[rest]
			if !ok {
				at = len(files)
				numbers[rest], files = at, append(files, File{Name: rest})
			}
			files[at].Text = strings.TrimPrefix(text, bom)
			return nil
		},
	})
	return files, err
}

// unmarshal reads a YAML file of a chart.
func unmarshal(src *source.Source, into any) error {
	if err := manifest.Unmarshal(src.Text, into); err != nil {
		why := cause(err)
		if _, rest, ok := strings.Cut(why, ": "); ok && src.Written != nil && strings.HasPrefix(why, "line ") {
			why = rest // the place tells the line in the object
		}
		return fault{message: "invalid YAML: " + why, at: src.Place(lineNamed(src, err.Error()))}
	}
	return nil
}
