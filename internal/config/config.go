// Package config holds the configuration file: what .kindvet.yaml may say, and what one says.
//
// The file is read and checked as manifests are, against a schema that is data (schema.yaml), so that a fault has a
// line, a column and the nearest known key. Finding files, and reading those that one extends, is the run's.
package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/gitignore"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// Names are what a configuration file may be called; of two in one directory the first counts.
var Names = []string{".kindvet.yaml", ".kindvet.yml"}

// Config is what a configuration file says, with what it extends merged in. The zero value says nothing.
type Config struct {
	// File is the name of the file.
	File string
	// Extends, Schemas and Rules are files and directories; relative ones have been joined to the directory of the
	// file that names them.
	Extends, Schemas, Rules []source.Word
	// Names are the platform's own words.
	Names names.Vocabulary
	// Profile and UnknownKinds are "" where the file does not say them.
	Profile, UnknownKinds string
	// Discovery reports whether CRDs among the files are used for the others; nil where the file does not say it.
	Discovery *bool
	// FailOn, Output, AllowEmpty and Baseline are about a run as a whole; "", nil and the empty word where the file
	// does not say them. A relative baseline has been joined to the directory of the file.
	FailOn, Output string
	AllowEmpty     *bool
	Baseline       source.Word
	// Enable and Disable are names of lint rules.
	Enable, Disable []source.Word
	// Severities are those of lint rules; of two for one rule, the last counts.
	Severities []Severity
	Excludes   []Exclude
	Ignores    []Ignore
}

// Severity is the severity that a lint rule has been given.
type Severity struct {
	Rule     source.Word
	Severity diag.Severity
}

// Exclude holds patterns of files that are not checked, and the directory that they are relative to.
type Exclude struct {
	Dir      string
	Patterns gitignore.Patterns
	// File is the configuration file that holds them; Private means that none of its text may be shown.
	File    string
	Private bool
}

// Parse reads a configuration file. With violations, what it returns is not usable.
func Parse(src *source.Source) (Config, []diag.Violation) {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if tree.Root().Valid() {
			return Config{}, []diag.Violation{{
				Rule: diag.Syntax, Severity: diag.Error, Message: "a configuration file must have one document",
				Place: src.Place(source.Span{Start: part.Span.Start, End: part.Span.Start}),
			}}
		}
		if violations := tree.Read(src, part); len(violations) > 0 {
			return Config{}, violations
		}
	}
	c := Config{File: src.Name}
	if !tree.Root().Valid() || tree.Root().Type() == manifest.Null {
		return c, nil
	}
	violations := schema.Check(tree.Root(), fileSchema(), schema.Resource{Plain: true}, manifest.Node{})
	if len(violations) > 0 {
		return Config{}, violations
	}
	c.read(tree.Root())
	return c, nil
}

// read takes over what a file states that has been found to be well formed.
func (c *Config) read(root manifest.Node) {
	for f := range root.Children() {
		switch f.Key() {
		case "extends":
			c.Extends = c.paths(f)
		case "schemas":
			c.Schemas = c.paths(f)
		case "rules":
			c.Rules = c.paths(f)
		case "names":
			c.Names = vocabulary(f)
		case "profile":
			c.Profile = text(f)
		case "enable":
			c.Enable = words(f)
		case "disable":
			c.Disable = words(f)
		case "severity":
			for s := range f.Children() {
				severity, _ := diag.ParseSeverity(s.Text()) // the schema allows no other
				c.Severities = append(c.Severities, Severity{Rule: keyWord(s), Severity: severity})
			}
		case "unknownKinds":
			c.UnknownKinds = text(f)
		case "discovery":
			uses := f.Boolean()
			c.Discovery = &uses
		case "failOn":
			c.FailOn = text(f)
		case "output":
			c.Output = text(f)
		case "allowEmpty":
			allow := f.Boolean()
			c.AllowEmpty = &allow
		case "baseline":
			c.Baseline = c.path(word(f))
		case "exclude":
			c.Excludes = append(c.Excludes, Exclude{Dir: c.dir(), Patterns: patterns(f), File: c.File, Private: f.Tree().Source.Private})
		case "ignores":
			for i := range f.Children() {
				c.Ignores = append(c.Ignores, c.ignore(i))
			}
		}
	}
}

// dir is the directory of the file, as its name says it.
func (c *Config) dir() string { return filepath.Dir(c.File) }

// paths reads a list of files and directories, relative to that of the file.
func (c *Config) paths(n manifest.Node) []source.Word {
	list := words(n)
	for i := range list {
		list[i] = c.path(list[i])
	}
	return list
}

// path returns a path that the file names, relative to what the name of the file is relative to.
func (c *Config) path(w source.Word) source.Word {
	w.Text = filepath.FromSlash(w.Text)
	if !filepath.IsAbs(w.Text) {
		w.Text = filepath.Join(c.dir(), w.Text)
	}
	return w
}

func words(n manifest.Node) []source.Word {
	var list []source.Word
	for item := range n.Children() {
		list = append(list, word(item))
	}
	return list
}

func word(n manifest.Node) source.Word {
	return source.Word{Text: text(n), Place: n.Tree().Source.Place(n.Span())}
}

func keyWord(n manifest.Node) source.Word {
	return source.Word{Text: strings.Clone(n.Key()), Place: n.KeyPlace()}
}

func text(n manifest.Node) string { return strings.Clone(n.Text()) }

func patterns(n manifest.Node) gitignore.Patterns {
	var p gitignore.Patterns
	for item := range n.Children() {
		p.Add(text(item), word(item).Place.Start().Line)
	}
	return p
}

// Extend returns c on top of what it extends: what c says wins, and its lists come after those of base.
func (c Config) Extend(base Config) Config {
	c.Schemas = behind(base.Schemas, c.Schemas)
	c.Rules = behind(base.Rules, c.Rules)
	c.Names = c.Names.Extend(base.Names)
	if c.Profile == "" {
		c.Profile = base.Profile
	}
	if c.UnknownKinds == "" {
		c.UnknownKinds = base.UnknownKinds
	}
	c.FailOn, c.Output = cmp.Or(c.FailOn, base.FailOn), cmp.Or(c.Output, base.Output)
	c.AllowEmpty = cmp.Or(c.AllowEmpty, base.AllowEmpty)
	c.Discovery = cmp.Or(c.Discovery, base.Discovery)
	if c.Baseline.Text == "" {
		c.Baseline = base.Baseline
	}
	enable, disable := without(base.Enable, c.Disable), without(base.Disable, c.Enable)
	c.Enable, c.Disable = behind(enable, c.Enable), behind(disable, c.Disable)
	c.Severities = behind(base.Severities, c.Severities)
	c.Excludes = behind(base.Excludes, c.Excludes)
	c.Ignores = behind(base.Ignores, c.Ignores)
	return c
}

// UsesDiscovery reports whether CRDs among the files are used for the others, as it is unless c says no.
func (c *Config) UsesDiscovery() bool { return c.Discovery == nil || *c.Discovery }

// Len returns the number of settings in the lists of c.
func (c Config) Len() int {
	return len(c.Schemas) + len(c.Rules) + len(c.Enable) + len(c.Disable) + len(c.Severities) + len(c.Excludes) + len(c.Ignores) +
		len(c.Names.Groups) + len(c.Names.Kinds) + len(c.Names.Fields) + len(c.Names.Words)
}

// behind returns the list that holds base and then own; base itself if own is empty.
func behind[T any](base, own []T) []T {
	if len(own) == 0 {
		return slices.Clip(base)
	}
	return slices.Concat(base, own)
}

// without returns the words that are not among those taken back.
func without(list, takenBack []source.Word) []source.Word {
	if len(takenBack) == 0 {
		return list
	}
	gone := map[string]bool{}
	for _, w := range takenBack {
		gone[w.Text] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(w source.Word) bool { return gone[w.Text] })
}

// Texts returns the texts of words.
func Texts(list []source.Word) []string {
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = w.Text
	}
	return texts
}
