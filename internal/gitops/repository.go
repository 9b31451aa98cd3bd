package gitops

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/git"
)

// IsAt reports whether a definition is that of a working tree with the given URLs of remotes, and branches.
// If no URL is known, the repository may be the same. A tag, a commit or another branch has other files.
func IsAt(d Definition, urls, branches []string) bool {
	switch d.Revision {
	case "", "HEAD", "main", "master":
	default:
		if !slices.Contains(branches, strings.TrimPrefix(d.Revision, "refs/heads/")) {
			return false
		}
	}
	isKnown := false
	for _, u := range urls {
		if git.IsSameURL(u, d.URL) {
			return true
		}
		isKnown = isKnown || git.HasHost(u)
	}
	return !isKnown
}
