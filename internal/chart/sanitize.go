package chart

import (
	"strings"
	"unicode"
)

// sanitize replaces white space with blanks, and removes what cannot be printed, as Helm does.
func (m *Metadata) sanitize() {
	for _, text := range []*string{
		&m.Name, &m.Description, &m.Home, &m.Icon, &m.Condition, &m.Tags, &m.AppVersion, &m.KubeVersion,
	} {
		*text = sanitized(*text)
	}
	for _, list := range [][]string{m.Sources, m.Keywords} {
		for i := range list {
			list[i] = sanitized(list[i])
		}
	}
	for _, d := range m.Dependencies {
		if d == nil {
			continue
		}
		for _, text := range []*string{&d.Name, &d.Version, &d.Repository, &d.Condition} {
			*text = sanitized(*text)
		}
		for i := range d.Tags {
			d.Tags[i] = sanitized(d.Tags[i])
		}
	}
}

func sanitized(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, text)
}
