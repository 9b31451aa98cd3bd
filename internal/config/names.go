package config

import (
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
)

// vocabulary reads the platform's names. It reads the deprecated key members like fields, and fields takes precedence.
func vocabulary(n manifest.Node) names.Vocabulary {
	var v names.Vocabulary
	for f := range n.Children() {
		switch f.Key() {
		case "groups":
			v.Groups = renames(f)
		case "kinds":
			v.Kinds = renames(f)
		case "fields":
			v.Fields = append(v.Fields, renames(f)...)
		case "members":
			v.Fields = append(renames(f), v.Fields...)
			v.Deprecated = append(v.Deprecated, keyWord(f))
		case "words":
			for place := range f.Children() {
				v.Words = append(v.Words, names.Words{Path: keyWord(place), Words: words(place)})
			}
		}
	}
	return v
}

func renames(n manifest.Node) []names.Rename {
	var list []names.Rename
	for f := range n.Children() {
		list = append(list, names.Rename{From: keyWord(f), To: word(f)})
	}
	return list
}

// DeprecatedKeys returns a warning for each deprecated key that a configuration uses.
func (c Config) DeprecatedKeys() []diag.Violation {
	var warnings []diag.Violation
	for _, key := range c.Names.Deprecated {
		warnings = append(warnings, diag.Violation{
			Rule: diag.BadSetting, Severity: diag.Warning, Message: "the key names.members is deprecated",
			Help: "rename it to fields", Place: key.Place,
		})
	}
	return warnings
}
