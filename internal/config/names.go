package config

import (
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
)

// names reads the platform's words.
func names(n manifest.Node) catalog.Names {
	var names catalog.Names
	for f := range n.Children() {
		switch f.Key() {
		case "groups":
			names.Groups = renames(f)
		case "kinds":
			names.Kinds = renames(f)
		case "members":
			names.Members = renames(f)
		case "words":
			for place := range f.Children() {
				names.Words = append(names.Words, catalog.Words{Path: keyWord(place), Words: words(place)})
			}
		}
	}
	return names
}

func renames(n manifest.Node) []catalog.Rename {
	var list []catalog.Rename
	for f := range n.Children() {
		list = append(list, catalog.Rename{From: keyWord(f), To: word(f)})
	}
	return list
}
