package config

import (
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
)

// names reads the platform's words.
func vocabulary(n manifest.Node) names.Vocabulary {
	var v names.Vocabulary
	for f := range n.Children() {
		switch f.Key() {
		case "groups":
			v.Groups = renames(f)
		case "kinds":
			v.Kinds = renames(f)
		case "members":
			v.Members = renames(f)
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
