package formats

import "strings"

// isRelativePath reports whether a path leads downwards (k8s.io/kubernetes,
// pkg/apis/core/validation.validateLocalDescendingPath).
func isRelativePath(text string) bool {
	return !strings.HasPrefix(text, "/") && hasNoBackstep(text)
}

func hasNoBackstep(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}
