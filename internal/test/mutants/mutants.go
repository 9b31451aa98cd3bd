// Package mutants breaks the packages in listed places and reports which breaks the tests see. testdata/mutants is its
// program.
//
// A break is an entry in a file of the directory breaks: the file of the package, a name, what a user would see, and a
// hunk. All breaks are compiled at once, each behind a variable that one file switches on. So each test program is
// built once and then run once per break, which takes minutes instead of hours.
//
// Add a break that matters: a user sees a wrong verdict, a wrong place, a lost finding, a crash or a run without an
// end. A break that changes nothing anyone could see is equivalent to the code; remove it.
package mutants

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// A mutant is a listed break: a text of a file, and the text that replaces it.
type mutant struct {
	name string // unique, such as suppress-second
	file string // below internal, with slashes
	harm string // what a user would see
	was  string // one or more lines without indentation; the first and last may be parts of lines
	is   string
	at   string // the place of the entry, for errors
}

// pkg returns the package below internal.
func (m mutant) pkg() string { return path.Dir(m.file) }

// switchName returns the name of the variable that is true if the break is on.
func (m mutant) switchName() string { return "mutant_" + strings.ReplaceAll(m.name, "-", "_") }

// find returns where the text of the break is in a file, which must have it exactly once.
func (m mutant) find(text string) (start, end int, err error) {
	lines := strings.Split(m.was, "\n")
	for i, line := range lines {
		lines[i] = regexp.QuoteMeta(line)
	}
	found := regexp.MustCompile(strings.Join(lines, `\n\t*`)).FindAllStringIndex(text, 2)
	if len(found) != 1 {
		return 0, 0, fmt.Errorf("%s: %s: the file has the text %d times, want once", m.at, m.name, len(found))
	}
	return found[0][0], found[0][1], nil
}

// readBreaks reads the files of a directory. An entry has a heading with a file and a name, what a user would see, and
// the lines of a hunk, each without indentation:
//
//	== suppress/find.go suppress-second
//	the place of the second rule in brackets is off by one
//	-at += len(name) + 1
//	+at += len(name)
func readBreaks(dir string) ([]mutant, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var list []mutant
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		of, err := parseBreaks(filepath.Base(name), string(text))
		if err != nil {
			return nil, err
		}
		list = append(list, of...)
	}
	return list, nil
}

func parseBreaks(name, text string) ([]mutant, error) {
	var list []mutant
	var was, is, harm []string
	finish := func() {
		if len(list) > 0 {
			m := &list[len(list)-1]
			m.was, m.is, m.harm = strings.Join(was, "\n"), strings.Join(is, "\n"), strings.Join(harm, " ")
		}
		was, is, harm = nil, nil, nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		at := fmt.Sprintf("%s:%d", name, number)
		switch {
		case strings.HasPrefix(line, "== "):
			finish()
			words := strings.Fields(line[3:])
			if len(words) != 2 {
				return nil, fmt.Errorf("%s: want a file and a name after ==", at)
			}
			list = append(list, mutant{file: words[0], name: words[1], at: at})
		case line == "":
		case len(list) == 0:
			return nil, fmt.Errorf("%s: the first entry must begin with ==", at)
		case line[0] == '-':
			was = append(was, strings.TrimSpace(line[1:]))
		case line[0] == '+':
			is = append(is, strings.TrimSpace(line[1:]))
		default:
			harm = append(harm, line)
		}
	}
	finish()
	return list, nil
}
