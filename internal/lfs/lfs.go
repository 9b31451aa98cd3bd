// Package lfs recognizes pointers of Git LFS: what a repository has in the place of a large file until 'git lfs pull'
// fetches it.
package lfs

import (
	"regexp"
	"strings"
	"sync"
)

// Help is how to get the file of a pointer.
const Help = "run 'git lfs pull'"

// longest is the maximum number of bytes of a pointer (git-lfs, docs/spec.md).
const longest = 1024

const version = "version https://git-lfs.github.com/spec/v1"

// IsPointer reports whether a text is a pointer, and nothing else. A text that only starts like one is what it is.
func IsPointer(text string) bool {
	return len(text) < longest && strings.HasPrefix(text, version) && pattern().MatchString(text)
}

var pattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A` + regexp.QuoteMeta(version) + `\r?\n(?:ext-[0-9]-[A-Za-z0-9.-]+ sha256:[0-9a-f]{64}\r?\n)*` +
		`oid sha256:[0-9a-f]{64}\r?\nsize [0-9]+(?:\r?\n)?\z`)
})
