package workspace

import (
	"cmp"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/find"
)

// Defaults are the settings of a configuration that replace omitted flags of a run.
type Defaults struct {
	// FailOn and Output are "" if they are not set.
	FailOn, Output string
	AllowEmpty     bool
	// Baseline is a file name; "" means none. IsAbove reports whether the file belongs to a directory above the
	// working directory.
	Baseline string
	IsAbove  bool
}

// ReadDefaults reads the defaults from the configuration that applies in the directory of the base. Of the options,
// it uses only those that select the configuration. Without a configuration it returns the zero value.
func ReadDefaults(o Options) (Defaults, error) {
	if o.Files.NoConfig {
		return Defaults{}, nil
	}
	finder, err := find.New(o.Files)
	if err != nil {
		return Defaults{}, err
	}
	c, err := finder.ConfigAt(o.Files.Base.Dir)
	if err != nil {
		return Defaults{}, err
	}
	d := Defaults{FailOn: c.FailOn, Output: c.Output, AllowEmpty: c.AllowEmpty != nil && *c.AllowEmpty}
	if d.Baseline, err = c.FindBaseline(o.Files.Base); err != nil {
		return Defaults{}, err
	}
	of := cmp.Or(c.File, d.Baseline)
	d.IsAbove = of != "" && filepath.Dir(o.Files.Base.Abs(of)) != o.Files.Base.Dir
	return d, nil
}
