package chart

import (
	"path"
	"strings"
)

// IgnoreFile is the name of the file with patterns of files that do not belong to a chart.
const IgnoreFile = ".helmignore"

// Ignores are the patterns of a .helmignore file. They differ from those of git (Helm's pkg/ignore): the first
// pattern that decides counts, a pattern with a slash matches the whole path, and a negated pattern ignores what it
// does not match.
type Ignores struct {
	patterns []IgnorePattern
	size     int
}

// IgnorePattern is one pattern. Text is as it is written, on line Line.
type IgnorePattern struct {
	Text string
	Line int

	glob                         string
	isNegated, isDirectory, full bool
}

// Steps returns the maximum number of steps for comparing a name with the patterns.
func (g Ignores) Steps(name string) int { return g.size * len(name) }

// ParseIgnores reads the patterns. It skips those that Helm rejects.
func ParseIgnores(text string) Ignores {
	g := Ignores{size: len(text)}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, bom) + "\ntemplates/.?*") {
		number++
		line = strings.TrimSpace(line)
		if _, err := path.Match(line, "abc"); line == "" || line[0] == '#' || err != nil || strings.Contains(line, "**") {
			continue
		}
		p := IgnorePattern{Text: line, Line: number}
		line, p.isNegated = strings.CutPrefix(line, "!")
		line, p.isDirectory = strings.CutSuffix(line, "/")
		p.full = strings.Contains(line, "/")
		p.glob = strings.TrimPrefix(line, "/")
		g.patterns = append(g.patterns, p)
	}
	return g
}

// Match reports whether a file or directory does not belong to the chart. The name is relative to the chart.
func (g Ignores) Match(name string, isDirectory bool) bool {
	_, ok := g.By(name, isDirectory)
	return ok
}

// By returns the pattern because of which a file or directory does not belong to the chart.
func (g Ignores) By(name string, isDirectory bool) (by IgnorePattern, ok bool) {
	for _, p := range g.patterns {
		switch matches := p.matches(name); {
		case p.isNegated && (p.isDirectory && !isDirectory || !matches):
			return p, true
		case p.isNegated, p.isDirectory && !isDirectory:
		case matches:
			return p, true
		}
	}
	return by, false
}

// Select returns the files that no pattern excludes, and no directory of which a pattern excludes.
func (g Ignores) Select(files []File) (selected []File) {
	for _, f := range files {
		if !g.excludes(f.Name) {
			selected = append(selected, f)
		}
	}
	return selected
}

func (g Ignores) excludes(name string) bool {
	for at, c := range name {
		if c == '/' && g.Match(name[:at], true) {
			return true
		}
	}
	return g.Match(name, false)
}

func (p IgnorePattern) matches(name string) bool {
	if !p.full {
		name = path.Base(name)
	}
	ok, _ := path.Match(p.glob, name)
	return ok
}
