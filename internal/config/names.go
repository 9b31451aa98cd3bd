package config

import (
	"github.com/kindvet/kindvet/internal/kinds"
	"github.com/kindvet/kindvet/internal/manifest"
)

// names reads the platform's words.
func names(n manifest.Node) kinds.Names {
	var names kinds.Names
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
				names.Words = append(names.Words, kinds.Words{Path: keyWord(place), Words: words(place)})
			}
		}
	}
	return names
}

func renames(n manifest.Node) []kinds.Rename {
	var list []kinds.Rename
	for f := range n.Children() {
		list = append(list, kinds.Rename{From: keyWord(f), To: word(f)})
	}
	return list
}
