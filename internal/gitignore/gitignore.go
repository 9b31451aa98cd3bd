// Package gitignore reads patterns in the format of .gitignore files, and reports which paths they exclude.
//
// Patterns mean what they mean to git (gitignore(5)); a test compares the results with git itself. There are two
// differences: ? matches a character, not a byte, and named character classes such as [[:alpha:]] are not supported.
// Paths use slashes on every system.
//
// It is written by hand because files that are excluded are not checked: the results must be those of git, in a number
// of steps that has a limit. Elements of a path are matched by a library.
//
// The alternative is a library for such patterns. Decide anew if one passes the tests here and limits its steps.
package gitignore

import (
	"math"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Verdict is the result of matching a path against patterns.
type Verdict uint8

// The verdicts. Undecided, the zero value, means that the patterns of a parent directory decide.
const (
	Undecided Verdict = iota
	LeftOut
	Kept
)

// Patterns are the patterns of one file. They apply to paths below its directory. The zero value has no patterns.
type Patterns struct{ list []Pattern }

// Pattern is one pattern, as written on its line of the file.
type Pattern struct {
	Text string
	Line int

	glob     string
	literal  bool      // glob has no special characters
	elements []element // of a glob that is not literal
	anchored bool      // match the whole path, not only its last element
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

// Add appends the pattern of the line with the given number. Later patterns override earlier ones.
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
	x.literal = !strings.ContainsAny(line, `*?[\`)
	x.glob = line
	if !x.literal {
		x.glob = forMatcher.Replace(line)
		if !doublestar.ValidatePattern(x.glob) {
			return
		}
		x.elements = split(x.glob)
	}
	p.list = append(p.list, x)
}

// forMatcher escapes characters that are special to the matcher but not to git: braces, and a bracket that is the
// first character of a class.
var forMatcher = strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, `\[`, `\[`, `\\`, `\\`, `{`, `\{`, `}`, `\}`, `[]`, `[\]`,
	`[!]`, `[!\]`, `[^]`, `[^\]`)

// trimSpaces removes trailing spaces, except for one that is escaped.
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

// Empty reports whether there are no patterns.
func (p Patterns) Empty() bool { return len(p.list) == 0 }

// Match returns the verdict on a path relative to the directory of the patterns. It does not look at parent
// directories: the caller must know that a path below an excluded directory is excluded, whatever the verdict on the
// path itself.
func (p Patterns) Match(name string, isDir bool) Verdict {
	left := math.MaxInt
	verdict, _ := p.Decide(name, isDir, &left)
	return verdict
}

// Decide is like [Patterns.Match], and also returns the pattern that decides; nil if the verdict is Undecided. It
// subtracts its steps from left; a step takes about as long as comparing two short names. If too few are left, it
// returns Undecided and left is negative.
func (p Patterns) Decide(name string, isDir bool, left *int) (Verdict, *Pattern) {
	base := path.Base(name)
	for i := len(p.list) - 1; i >= 0; i-- {
		x := &p.list[i]
		if *left--; *left < 0 {
			return Undecided, nil
		}
		if x.dirsOnly && !isDir {
			continue
		}
		compared := base
		if x.anchored {
			compared = name
		}
		if !x.matches(compared, left) {
			continue
		}
		if x.kept {
			return Kept, x
		}
		return LeftOut, x
	}
	return Undecided, nil
}

// matches reports whether the pattern matches a path, or the last element of one if it is not anchored. It returns
// false if too few steps are left.
func (x *Pattern) matches(name string, left *int) bool {
	if x.literal {
		return x.glob == name
	}
	return matches(x.elements, name, left)
}

// Contains reports whether the patterns exclude a path or one of its parent directories. It is for patterns that are
// used alone, such as those of a setting, not for those of one ignore file among others.
func (p Patterns) Contains(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] == '/' && p.Match(name[:i], true) == LeftOut {
			return true
		}
	}
	return p.Match(name, false) == LeftOut
}
