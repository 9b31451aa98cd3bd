// Package chart renders Helm charts in memory, and knows for every byte of the output where it was written.
//
// A chart is a list of files, so nothing here reads the disk, the environment, the clock or the network. The output is
// that of 'helm template', except for values that differ from run to run: functions that return the time or something
// random return fixed values of the same form. Package engine executes the templates, and knows where their output was
// written.
//
// # Values
//
// The line of values that supplied a text is found by experiment, and only for findings: the value is changed, the
// template is rendered again, and the change must be printed at that place. See [Output.Supplied].
package chart

import (
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/semver"
	"github.com/kindvet/kindvet/internal/source"
)

// File is a file of a chart. Its name is relative to the chart and has slashes.
type File struct {
	Name, Text string
}

// Chart is a loaded chart with its subcharts.
type Chart struct {
	metadata  *Metadata
	templates []*engine.File // sorted by name
	values    map[string]any
	valuesSrc *source.Source // values.yaml; nil if there is none
	schema    string
	files     []File
	crds      []*source.Source
	src       *source.Source // Chart.yaml
	// dependenciesSrc is the file with the dependencies: Chart.yaml or, in a chart of version v1, requirements.yaml.
	dependenciesSrc *source.Source
	lock            *lockFile
	lockSrc         *source.Source // Chart.lock or requirements.lock
	roots           map[*source.Source]value
	isHelm4         bool // Helm 4 reads the values
	parent          *Chart
	subcharts       []*Chart
}

// Metadata is the content of Chart.yaml. Templates see it as .Chart, so its fields are those of Helm (pkg/chart,
// Metadata).
type Metadata struct {
	Name         string            `json:"name,omitempty"`
	Home         string            `json:"home,omitempty"`
	Sources      []string          `json:"sources,omitempty"`
	Version      string            `json:"version,omitempty"`
	Description  string            `json:"description,omitempty"`
	Keywords     []string          `json:"keywords,omitempty"`
	Maintainers  []*Maintainer     `json:"maintainers,omitempty"`
	Icon         string            `json:"icon,omitempty"`
	APIVersion   string            `json:"apiVersion,omitempty"`
	Condition    string            `json:"condition,omitempty"`
	Tags         string            `json:"tags,omitempty"`
	AppVersion   string            `json:"appVersion,omitempty"`
	Deprecated   bool              `json:"deprecated,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
	KubeVersion  string            `json:"kubeVersion,omitempty"`
	Dependencies []*Dependency     `json:"dependencies,omitempty"`
	Type         string            `json:"type,omitempty"`
}

// Maintainer is a person or organization that maintains a chart.
type Maintainer struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

// Dependency is a subchart that Chart.yaml names.
type Dependency struct {
	Name         string   `json:"name"`
	Version      string   `json:"version,omitempty"`
	Repository   string   `json:"repository"`
	Condition    string   `json:"condition,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Enabled      bool     `json:"enabled,omitempty"`
	ImportValues []any    `json:"import-values,omitempty"`
	Alias        string   `json:"alias,omitempty"`
}

func (c *Chart) name() string { return c.metadata.Name }

// fullPath is the path of a chart in the names of templates, such as shop/charts/store.
func (c *Chart) fullPath() string {
	if c.parent == nil {
		return c.name()
	}
	return path.Join(c.parent.fullPath(), "charts", c.name())
}

// setSubcharts replaces the subcharts.
func (c *Chart) setSubcharts(list []*Chart) {
	c.subcharts = list
	for _, sub := range list {
		sub.parent = c
	}
}

// isLibrary reports whether the chart only has helpers for other charts.
func (c *Chart) isLibrary() bool { return strings.EqualFold(c.metadata.Type, "library") }

// isCompatible reports whether a version is in a range (Helm's chartutil.IsCompatibleRange).
func isCompatible(constraint, version string) bool {
	v, err := semver.NewVersion(version)
	if err != nil {
		return false
	}
	c, err := semver.NewConstraint(constraint)
	return err == nil && c.Check(v)
}
