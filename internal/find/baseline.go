package find

import (
	"errors"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
)

// BaselineName is the name of the baseline that is used by default.
const BaselineName = ".kindvet-baseline.json"

// FindBaseline returns the name of the baseline for a run in the directory of the base; "" for none. If the
// configuration names a baseline, it must exist and lie in the repository of the configuration. Otherwise the
// baseline is the one next to the configuration. If no configuration applies, it is searched for in the directory and
// its parents, up to the root of the repository.
func (c *Config) FindBaseline(b Base) (string, error) {
	if w := c.Baseline; w.Text != "" {
		full := b.Abs(w.Text)
		if _, err := b.Stat(w.Text); err != nil {
			return "", config.ErrorAt(w, w.Text+": no such file")
		}
		if err := disk.Follow(b.Dir, full, w.Text); err != nil {
			return "", config.ErrorAt(w, w.Text+": "+errors.Unwrap(err).Error())
		}
		if isOutside(c.boundary, full) {
			return "", config.ErrorAt(w, w.Text+": is outside the repository; use --baseline")
		}
		return w.Text, nil
	}
	if c.File != "" {
		return b.baselineIn(filepath.Dir(b.Abs(c.File))), nil
	}
	for path := b.Dir; ; path = filepath.Dir(path) {
		if name := b.baselineIn(path); name != "" {
			return name, nil
		}
		if filepath.Dir(path) == path || git.IsTop(path) {
			return "", nil
		}
	}
}

// baselineIn returns the name of the baseline in a directory; "" for none.
func (b Base) baselineIn(path string) string {
	if full := filepath.Join(path, BaselineName); b.exists(full) {
		return b.Name(full)
	}
	return ""
}
