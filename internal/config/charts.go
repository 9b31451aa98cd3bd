package config

import (
	"github.com/kindvet/kindvet/internal/gitignore"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// ValueSet is an entry of charts: values that charts are rendered with.
type ValueSet struct {
	// Path matches the directory of a chart, relative to Dir. It may be empty.
	Path gitignore.Patterns
	Dir  string
	Name string
	// Files are files of values. Relative paths have been joined to the directory of the file that names them. A later
	// one wins.
	Files []source.Word
}

func (c *Config) valueSet(n manifest.Node) ValueSet {
	s := ValueSet{Dir: c.dir()}
	for f := range n.Children() {
		switch f.Key() {
		case "path":
			s.Path.Add(text(f), word(f).Place.Start().Line)
		case "name":
			s.Name = text(f)
		case "values":
			s.Files = c.paths(f)
		}
	}
	if s.Name == "" {
		s.Name = s.Files[len(s.Files)-1].Text
	}
	return s
}
