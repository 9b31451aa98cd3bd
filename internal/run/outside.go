package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/source"
)

// auxiliary is a file or directory that says how to check. Private says that nothing of its text may be shown: a configuration names
// it, and it lies outside of what belongs to that configuration.
type auxiliary struct {
	path    string
	private bool
}

// String tells auxiliaries apart.
func (a auxiliary) String() string { return fmt.Sprintf("%q private=%t", a.path, a.private) }

// auxiliaries returns the paths that flags name, or, if there are none, those that a configuration names, which must exist. The
// user who types a flag may see what it names.
func (s *settings) auxiliaries(flags []string, configured []source.Word) ([]auxiliary, error) {
	if len(flags) > 0 {
		return named(flags), nil
	}
	var list []auxiliary
	for _, w := range configured {
		if slices.ContainsFunc(list, func(a auxiliary) bool { return a.path == w.Text }) {
			continue
		}
		if _, err := os.Stat(w.Text); err != nil {
			return nil, configFault(w, w.Text+": no such file or folder")
		}
		if err := disk.Follow(w.Text); err != nil {
			return nil, configFault(w, w.Text+": "+errors.Unwrap(err).Error())
		}
		list = append(list, auxiliary{w.Text, isOutside(s.boundary, w.Text)})
	}
	return list, nil
}

// named are the paths that the user names.
func named(paths []string) []auxiliary {
	list := make([]auxiliary, len(paths))
	for i, path := range paths {
		list[i].path = path
	}
	return list
}

// boundaryOf returns the directory below which a configuration file may show what it names: its repository or, outside of one, its own
// directory. Links are followed.
func boundaryOf(path string) string {
	directory := filepath.Dir(path)
	if top, ok := (&git.Finder{}).Top(directory); ok {
		return top
	}
	if real, err := filepath.EvalSymlinks(directory); err == nil {
		return real
	}
	return directory
}

// isOutside reports whether a file lies outside of a boundary, its links followed. What cannot be found is outside.
func isOutside(boundary, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	return err != nil || !disk.IsWithin(boundary, real)
}

// withhold takes the text of files of which nothing may be shown out of violations in them: what a message quotes. What is left is the
// place, the rule, and what the rule finds.
func withhold(violations []diag.Violation) {
	for i := range violations {
		v := &violations[i]
		if v.Place.Excerpt.Hidden != source.Outside {
			continue
		}
		title := (&diag.Report{}).Describe(v.Rule).Title
		*v = diag.Violation{Rule: v.Rule, Severity: v.Severity, Place: v.Place, Message: title, Help: "check the file itself, in its own directory", Suppression: v.Suppression}
	}
}
