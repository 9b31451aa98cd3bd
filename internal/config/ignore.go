package config

import (
	"path"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/gitignore"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Ignore is an entry of ignores: violations that are not reported. What is "" fits everything.
type Ignore struct {
	// Rule is the id or the short name of a rule.
	Rule                          source.Word
	Kind, Namespace, Name, Reason string
	// Field fits the path of the violation.
	Field FieldPattern
	// Path fits the file, seen from Directory; it may be empty.
	Path gitignore.Patterns
	Dir  string
	// Until is the last day on which the entry holds, as 2027-01-31; "" is not an end.
	Until string
	// Place is where the entry is.
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

// Expired reports whether the last day of the entry is over; today is written as 2027-01-31, "" is before every day.
func (i *Ignore) Expired(today string) bool { return i.Until != "" && i.Until < today }

// Fits reports whether the entry names a violation. file is the path of its file from Directory, with slashes; it is
// "" for a file that is not below it.
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
