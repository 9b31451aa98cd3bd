package filetype

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Names returns the names of what is in a directory: that of a file, or one that is a number of levels above it. It
// returns false for a directory above those that may be searched.
type Names func(levels int) ([]string, bool)

// numberMark stands for the number at the start of the name of a file.
const numberMark = "{number}"

// Near returns the formats that the name of a file and the files near it allow for its objects: what a test expects, a
// patch, or a file of a vendored module. Such objects are not applied. Which of the formats a document has depends on its
// kind; see [FormatOf].
func Near(file string, names Names) (formats []*Format) {
	for _, f := range nearFormats() {
		if f.hasPath(file) && f.isNear(file, names) {
			formats = append(formats, f)
		}
	}
	return formats
}

// FormatOf returns the first of some formats that a document with apiVersion and kind has.
func FormatOf(d *Document, formats []*Format) (*Format, bool) { return first(formats, d, nil) }

var nearFormats = sync.OnceValue(func() []*Format { return formatsThat(func(f *Format) bool { return len(f.near) > 0 }) })

// isNear reports whether a file that the format needs is above a file or next to it. Other files of the format there do
// not count.
func (f *Format) isNear(file string, names Names) bool {
	base := path.Base(file)
	number := base[:len(base)-len(strings.TrimLeft(base, "0123456789"))]
	for levels := 0; ; levels++ {
		found, ok := names(levels)
		if !ok {
			return false
		}
		for _, name := range found {
			isOther := levels > 0 || !f.hasPath(path.Join(path.Dir(file), name))
			if isOther && slices.ContainsFunc(f.near, func(pattern string) bool {
				pattern, isNext := strings.CutPrefix(pattern, "./")
				return (!isNext || levels == 0) && matchPart(strings.Replace(pattern, numberMark, number, 1), name)
			}) {
				return true
			}
		}
	}
}
