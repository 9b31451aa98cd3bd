package run

import (
	"cmp"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/find"
)

// Defaults are what a repository says of a run as a whole, in place of flags that are not given.
type Defaults struct {
	// FailOn and Output are "" if they are not said.
	FailOn, Output string
	AllowEmpty     bool
	// Baseline is the name of a file; "" for none. IsAbove reports that it belongs to a directory above the working
	// directory.
	Baseline string
	IsAbove  bool
}

// ReadDefaults reads them from the configuration that applies in the directory of the base. Of the options those count
// that say which one that is. Without configuration there are none.
func ReadDefaults(o Options) (Defaults, error) {
	if o.NoConfig {
		return Defaults{}, nil
	}
	finder, err := find.New(o.find())
	if err != nil {
		return Defaults{}, err
	}
	c, err := finder.ConfigAt(o.Base.Dir)
	if err != nil {
		return Defaults{}, err
	}
	d := Defaults{FailOn: c.FailOn, Output: c.Output, AllowEmpty: c.AllowEmpty != nil && *c.AllowEmpty}
	if d.Baseline, err = c.FindBaseline(o.Base); err != nil {
		return Defaults{}, err
	}
	of := cmp.Or(c.File, d.Baseline)
	d.IsAbove = of != "" && filepath.Dir(o.Base.Abs(of)) != o.Base.Dir
	return d, nil
}
