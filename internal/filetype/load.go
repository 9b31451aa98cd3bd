package filetype

import (
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/rules"
)

// The index holds what rules/filetypes.yaml says in a form that is read faster: a line for each format, with the name
// and plural of its type, its name, "objects" or nothing, and its criteria. It is written from the YAML, and compared
// with it, by the test of this package.
const (
	columnSeparator = "\t"
	itemSeparator   = "|"
)

// criteria returns the lists of a format in the order of the index.
func (f *Format) criteria() []*[]string {
	return []*[]string{&f.groups, &f.versions, &f.kinds, &f.files, &f.keys, &f.lacks, &f.items, &f.text, &f.near}
}

// criterionNames are the names of the criteria in rules/filetypes.yaml, in the order of the index.
var criterionNames = [...]string{"groups", "versions", "kinds", "files", "keys", "lacks", "items", "text", "near"}

func load() []Format {
	formats := make([]Format, 0, strings.Count(rules.FileTypeIndex, "\n"))
	t := &Type{}
	for line := range strings.Lines(rules.FileTypeIndex) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), columnSeparator)
		if len(columns) != 4+len(criterionNames) {
			panic(fmt.Sprintf("the index of file types has %d columns: %q", 4+len(criterionNames), line))
		}
		if columns[0] != t.Name {
			t = &Type{columns[0], columns[1]}
		}
		f := Format{Type: t, Name: columns[2], objects: columns[3] != ""}
		for i, list := range f.criteria() {
			if column := columns[4+i]; column != "" {
				*list = strings.Split(column, itemSeparator)
			}
		}
		f.mark = commonPrefix(f.text)
		for _, pattern := range f.files {
			f.literals = append(f.literals, literalIn(pattern))
			f.directories = append(f.directories, directoryIn(pattern))
		}
		formats = append(formats, f)
	}
	return formats
}

// commonPrefix returns the longest prefix that all strings of a list have, and "" for an empty list.
func commonPrefix(list []string) string {
	if len(list) == 0 {
		return ""
	}
	prefix := list[0]
	for _, s := range list[1:] {
		for !strings.HasPrefix(s, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
