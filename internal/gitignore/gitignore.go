// Package gitignore reads patterns as .gitignore files write them, and says which paths they leave out.
//
// The meaning of a pattern is git's (gitignore(5)), compared with git itself by a test, but that ? is a character and
// not a byte, and that character classes by name ([[:alpha:]]) are not read. Paths have slashes, on every system.
package gitignore

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Verdict is what patterns say of a path.
type Verdict uint8

// The verdicts. Undecided, the zero value, leaves the word to the patterns of a directory further up.
const (
	Undecided Verdict = iota
	LeftOut
	Kept
)

// Patterns are those of one file, which speak of what is below its directory. The zero value has none.
type Patterns struct{ list []Pattern }

// Pattern is one of them, as its line of the file has it.
type Pattern struct {
	Text string
	Line int

	glob     string
	literal  bool // glob has no special characters
	anchored bool // is compared with the whole path, not against its last part
	dirsOnly bool
	kept     bool // the pattern was negated
}

// Parse reads the lines of an ignore file. Lines that no path can match are skipped, as git does.
func Parse(text string) Patterns {
	var p Patterns
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		p.Add(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), number)
	}
	return p
}

// Add appends the pattern of one line, which has a number; later patterns win over earlier ones.
func (p *Patterns) Add(line string, number int) {
	if strings.HasPrefix(line, "#") {
		return
	}
	line = trimSpaces(line)
	x := Pattern{Text: line, Line: number}
	if line, x.kept = strings.CutPrefix(line, "!"); line == "" {
		return
	}
	line, x.dirsOnly = strings.CutSuffix(line, "/")
	x.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return
	}
	if strings.HasSuffix(line, "/**") { // what is below, and not the directory itself
		line += "/*"
	}
	x.literal = !strings.ContainsAny(line, `*?[\`)
	x.glob = line
	if !x.literal {
		x.glob = forMatcher.Replace(line)
		if !doublestar.ValidatePattern(x.glob) {
			return
		}
	}
	p.list = append(p.list, x)
}

// forMatcher escapes what means something to the matcher and nothing to git: braces, and a bracket that is the first
// of a class.
var forMatcher = strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, `\[`, `\[`, `\\`, `\\`, `{`, `\{`, `}`, `\}`, `[]`, `[\]`, `[!]`, `[!\]`, `[^]`, `[^\]`)

// trimSpaces takes the spaces at the end away, but for one that is escaped.
func trimSpaces(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	escapes := 0
	for i := end - 1; i >= 0 && line[i] == '\\'; i-- {
		escapes++
	}
	if escapes%2 == 1 && end < len(line) {
		end++
	}
	return line[:end]
}

// Empty means that there are no patterns.
func (p Patterns) Empty() bool { return len(p.list) == 0 }

// Match says what the patterns make of a path, relative to their directory. What is above the path is not looked at:
// a path below a directory that is left out is left out, whatever the patterns say of it.
func (p Patterns) Match(name string, isDir bool) Verdict {
	verdict, _ := p.Decide(name, isDir)
	return verdict
}

// Decide is Match, and returns the pattern that decides as well; nil for Undecided.
func (p Patterns) Decide(name string, isDir bool) (Verdict, *Pattern) {
	for i := len(p.list) - 1; i >= 0; i-- {
		x := &p.list[i]
		if x.dirsOnly && !isDir || !x.matches(name) {
			continue
		}
		if x.kept {
			return Kept, x
		}
		return LeftOut, x
	}
	return Undecided, nil
}

func (x *Pattern) matches(name string) bool {
	if !x.anchored {
		name = path.Base(name)
	}
	if x.literal {
		return x.glob == name
	}
	ok, err := doublestar.Match(x.glob, name)
	return ok && err == nil
}

// Contains reports whether a path, or a directory above it, is left out by the patterns, which are alone: those of a
// setting, not those of a file among others.
func (p Patterns) Contains(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] == '/' && p.Match(name[:i], true) == LeftOut {
			return true
		}
	}
	return p.Match(name, false) == LeftOut
}
