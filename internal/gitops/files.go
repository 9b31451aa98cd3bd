package gitops

import "github.com/gobwas/glob"

// Files are the files of a directory that an object deploys: those that its patterns include and do not exclude.
type Files struct {
	include, exclude pattern
	hasStatement     bool // of a template
}

// pattern is a glob of Argo CD, in which * matches a slash, too (reposerver/repository/repository.go,
// getPotentiallyValidManifestFile). One that is not set matches as if it was not there, and an invalid one matches nothing.
type pattern struct {
	glob  glob.Glob // nil if it is invalid
	isSet bool
}

// maxPatternOfFiles is the maximum number of bytes of a pattern. In 29 public repositories, one has at most 60. Longer ones, which
// the library would take long to compile, are invalid.
const maxPatternOfFiles = 1000

// filesOf returns the files that patterns select; nil for all.
func filesOf(include, exclude string) *Files {
	if include == "" && exclude == "" {
		return nil
	}
	return &Files{newPattern(include), newPattern(exclude), isStatement(include + exclude)}
}

func newPattern(text string) (p pattern) {
	if p.isSet = text != ""; p.isSet && len(text) <= maxPatternOfFiles {
		if compiled, err := glob.Compile(text); err == nil {
			p.glob = compiled
		}
	}
	return p
}

func (p pattern) matches(name string) bool { return p.glob != nil && p.glob.Match(name) }

// Has reports whether a file is deployed. Its name is relative to the directory, with slashes.
func (f *Files) Has(name string) bool {
	return f == nil || !f.exclude.matches(name) && (!f.include.isSet || f.include.matches(name))
}
