package workspace

import (
	"io"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/report"
	"github.com/kindvet/kindvet/internal/settings"
)

// Options configure a run and take precedence over the configuration. Each group belongs to the package that reads it.
type Options struct {
	Files    find.Options
	Settings settings.Options
	Check    check.Options
	Report   report.Options
	// Chart says how charts are rendered. Its version of Kubernetes is that of the schemas.
	Chart chart.Options
	Stdin io.Reader
	// StdinChart is the Helm chart that rendered standard input; "" if it is unknown.
	StdinChart string
	// NoDiscovery turns off the use of CRDs in Paths for checking the other files.
	NoDiscovery bool
	// Jobs is the number of workers; 0 means one for each processor.
	Jobs int
	// Progress is updated during the run, unless it is nil.
	Progress *Progress
	// Written is called with each text that a chart or kustomization has written and that is checked, unless it is nil. Workers
	// call it at the same time.
	Written func(Written)
}

// Written is a text that a chart or kustomization has written.
type Written struct {
	// Unit is the name of the chart or kustomization, and Name what wrote the text. Rendering tells sets of values apart, and Turn
	// versions of Kubernetes.
	Unit, Name, Rendering string
	Turn                  int
	Text                  string
}
