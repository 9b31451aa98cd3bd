package config

import (
	"path"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/gitignore"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Ignore is an entry of ignores: violations that are not reported. A field that is "" matches everything.
type Ignore struct {
	// Rule is the ID or the short name of a rule.
	Rule                          source.Word
	Kind, Namespace, Name, Reason string
	// Field matches the path of the violation.
	Field FieldPattern
	// Path matches the path of the file, relative to Directory. It may be empty.
	Path gitignore.Patterns
	Dir  string
	// Until is the last day on which the entry is valid, such as 2027-01-31, or "" if it does not expire.
	Until string
	// Place is the place of the entry.
	Place source.Place
}

func (c *Config) ignore(n manifest.Node) Ignore {
	i := Ignore{Dir: c.dir(), Place: n.HeadPlace()}
	for f := range n.Children() {
		switch f.Key() {
		case "rule":
			i.Rule = word(f)
		case "path":
			i.Path.Add(text(f), word(f).Place.Start().Line)
		case "kind":
			i.Kind = text(f)
		case "namespace":
			i.Namespace = text(f)
		case "name":
			i.Name = text(f)
		case "field":
			i.Field = parseField(text(f))
		case "reason":
			i.Reason = text(f)
		case "until":
			i.Until = text(f)
		}
	}
	return i
}

// Expired reports whether the last day of the entry is over. today has the form 2027-01-31. If it is "", no entry has
// expired.
func (i *Ignore) Expired(today string) bool { return i.Until != "" && i.Until < today }

// Fits reports whether the entry applies to a violation. file is the path of its file relative to Directory, with
// slashes. It is "" if the file is not below Directory.
func (i *Ignore) Fits(v *diag.Violation, names *diag.RuleNames, file string) bool {
	return (i.Rule.Text == "" || names.IsName(v.Rule, i.Rule.Text)) &&
		(i.Kind == "" || i.Kind == v.Object.Kind) &&
		(i.Namespace == "" || i.Namespace == v.Object.Namespace) &&
		(i.Name == "" || fitsName(i.Name, v.Object.Name)) &&
		i.Field.Covers(v.Path) &&
		(i.Path.Empty() || file != "" && i.Path.Contains(file))
}

func fitsName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
