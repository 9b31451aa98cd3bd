package git

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tracked are the names of the files in a git index, relative to the top of the working tree with slashes. A pattern of a .gitignore
// does nothing for them. The zero value has none.
type Tracked struct{ names []string }

// maxTrackedIndex is the maximum size of an index that is read for the names in it, in bytes. That of the Linux kernel has 10 MiB.
const maxTrackedIndex = 128 << 20

// TrackedIn reads the index of the working tree with a top. If it cannot be read, or is unusual, nothing is known to be tracked.
func TrackedIn(top string) Tracked {
	dir := filepath.Join(top, Entry)
	if text, err := readSmall(dir); err == nil {
		target, ok := strings.CutPrefix(lineOf(text), "gitdir: ")
		if !ok || isOnHost(target) {
			return Tracked{}
		}
		dir = absoluteIn(top, target)
		if _, ok := commonOf(top, dir, readSmall); !ok {
			return Tracked{}
		}
	}
	name := filepath.Join(dir, "index")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxTrackedIndex {
		return Tracked{}
	}
	f, err := os.Open(name)
	if err != nil {
		return Tracked{}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTrackedIndex))
	if err != nil {
		return Tracked{}
	}
	entries, _, ok := parseIndex(string(text))
	if !ok {
		return Tracked{}
	}
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].name
	}
	return Tracked{names}
}

// Has reports whether a file is tracked, or something in a directory.
func (t Tracked) Has(name string, isDirectory bool) bool {
	if isDirectory {
		name += "/"
	}
	i, isHere := slices.BinarySearch(t.names, name)
	return isHere || isDirectory && i < len(t.names) && strings.HasPrefix(t.names[i], name)
}
