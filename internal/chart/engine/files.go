package engine

import (
	"encoding/base64"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gobwas/glob"
)

// Files are the other files of a chart, which templates see as .Files (Helm's pkg/engine/files.go).
type Files map[string][]byte

// GetBytes returns the content of a file. It is empty if the file does not exist.
func (f Files) GetBytes(name string) []byte {
	if text, ok := f[name]; ok {
		return text
	}
	return []byte{}
}

// Get is like GetBytes, but returns a string.
func (f Files) Get(name string) string { return string(f.GetBytes(name)) }

// maxGlob is the maximum number of bytes of a pattern. It bounds what the library compiles. In 29 public repositories,
// a pattern has at most 11 bytes.
const maxGlob = 1000

// Glob returns the files whose names match a pattern. An invalid pattern matches all, and one that is too long none.
func (f Files) Glob(pattern string) Files {
	matched := Files{}
	if len(pattern) > maxGlob {
		return matched
	}
	matcher, err := glob.Compile(pattern, '/')
	for name, text := range f {
		if err != nil || matcher.Match(name) {
			matched[name] = text
		}
	}
	return matched
}

// AsConfig returns the files as the data of a ConfigMap.
func (f Files) AsConfig() string { return f.data(func(text []byte) string { return string(text) }) }

// AsSecrets returns the files as the data of a Secret.
func (f Files) AsSecrets() string { return f.data(base64.StdEncoding.EncodeToString) }

func (f Files) data(written func([]byte) string) string {
	if f == nil {
		return ""
	}
	list := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		list[path.Base(name)] = written(f[name])
	}
	return toYAML(list)
}

// Lines returns the lines of a file.
func (f Files) Lines(name string) []string {
	text := string(f[name])
	if text == "" {
		return []string{}
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
