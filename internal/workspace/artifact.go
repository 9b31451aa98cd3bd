package workspace

import (
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/gitops"
)

// artifact identifies an object whose files something has packed: an OCIRepository, a Bucket or an ExternalArtifact of
// Flux, in the repository with a top.
type artifact struct {
	top, kind string
	gitops.Repository
}

// artifactRoot is the directory of a repository that is the root of an artifact. The paths of the sources known so far
// have decided it.
type artifactRoot struct {
	dir     string // relative to the top, with slashes
	isKnown bool
	sources int // how many were known
}

// Limits of the search for the root of an artifact: paths that must exist, directories in the top, and lookups of a path
// in a directory, in all searches of a run. 2,500 artifacts in a repository of 1,000 directories would need millions, and
// 100,000 take a few seconds. In 29 public repositories, the top has at most 106 directories. Raise a limit if a
// repository reaches half of it.
const (
	maxRootPaths = 50
	maxTopDirs   = 1000
	maxLookups   = 100_000
)

// rootOf returns the root of the artifact of a source, relative to the top: the directory in which most of the paths exist
// that sources of the artifact name. Among equals, it is the one that is higher or, at last, next to those above the
// object. It returns false if the path of the source does not exist there. A path that is the root itself exists in each
// directory, so it decides nothing. Decide anew if an object of Flux states the root.
func (f *follower) rootOf(s *deployed, name string) (string, bool) {
	key := artifact{s.file.Top(), s.Artifact, s.Repository}
	known := f.roots[key]
	if known == nil || known.sources < len(f.sources) && !(known.isKnown && f.exists(s, known.dir, name)) {
		known = f.findRoot(key, s)
		f.roots[key] = known
	}
	return known.dir, known.isKnown && f.exists(s, known.dir, name)
}

// exists reports whether a directory is in the repository of a source.
func (f *follower) exists(s *deployed, root, name string) bool {
	_, ok := f.plan.finder.Follow(f.plan.found.Tree, s.file, path.Join(root, name))
	return ok
}

func (f *follower) findRoot(key artifact, s *deployed) *artifactRoot {
	root := &artifactRoot{sources: len(f.sources)}
	if f.lookups > maxLookups {
		return root
	}
	var paths, candidates []string
	for i := range f.sources {
		other := &f.sources[i]
		if (artifact{other.file.Top(), other.Artifact, other.Repository}) != key || len(paths) == maxRootPaths {
			continue
		}
		name, ok := gitops.Clean(other.Path)
		if ok && name != "." && !slices.Contains(paths, name) {
			paths = append(paths, name)
		}
		candidates = addAbove(candidates, other.file.InTop(other.file.Abs))
	}
	most := 0
	for _, dir := range append(candidates, f.topDirs(s)...) {
		if most == len(paths) {
			break
		}
		if f.lookups += len(paths); f.lookups > maxLookups {
			f.plan.notes = append(f.plan.notes, notFollowed(s))
			root.isKnown = false
			return root
		}
		found := 0
		for _, name := range paths {
			if f.exists(s, dir, name) {
				found++
			}
		}
		if found > most {
			most, root.dir, root.isKnown = found, dir, true
		}
	}
	return root
}

// addAbove adds the directories above a path, of which the top comes first.
func addAbove(dirs []string, name string) []string {
	above := ""
	for _, part := range strings.Split(name, "/") {
		if !slices.Contains(dirs, above) {
			dirs = append(dirs, above)
		}
		above = path.Join(above, part)
	}
	return dirs
}

// topDirs returns the directories in the top of the repository of a source.
func (f *follower) topDirs(s *deployed) (dirs []string) {
	entries, err := f.plan.found.Tree.ReadDir(s.file.Top())
	if err != nil {
		return nil
	}
	for _, d := range entries {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".") && len(dirs) < maxTopDirs {
			dirs = append(dirs, d.Name())
		}
	}
	return dirs
}
