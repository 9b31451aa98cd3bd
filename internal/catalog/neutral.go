package catalog

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// translation leads from a platform's words for a kind back to the neutral ones.
type translation struct {
	group, kind string
	members     map[*schema.Schema]string // neutral names of members, by their schemas
	words       map[string]string         // names that a text may mention, neutral to the platform's
}

// translate makes the translation of a kind whose definition has been rewritten; neutral are the names that its members had, by the node of
// their schemas.
func (k *Kind) translate(old *Entry, neutral map[manifest.Node]string, words map[string]string) {
	t := &translation{group: old.Group, kind: old.Name, members: map[*schema.Schema]string{}, words: words}
	eachProperty(k.Schema, func(p *schema.Property) {
		if name, ok := neutral[p.Schema.Node]; ok {
			t.members[p.Schema] = name
		}
	})
	k.translation = t
	for i := range k.secrets {
		k.secrets[i].path, k.secrets[i].condition = k.ownNames(k.secrets[i].path), k.ownNames(k.secrets[i].condition)
	}
}

// ownNames returns a path of members, in which items of lists are passed through, in the platform's words.
func (k *Kind) ownNames(path []string) []string {
	own := make([]string, len(path))
	s := k.Schema
	for i, name := range path {
		for s != nil && s.Items != nil {
			s = s.Items
		}
		own[i], s = k.ownMember(s, name)
	}
	return own
}

func eachProperty(s *schema.Schema, visit func(*schema.Property)) {
	if s == nil {
		return
	}
	for i := range s.Properties {
		visit(&s.Properties[i])
		eachProperty(s.Properties[i].Schema, visit)
	}
	eachProperty(s.Items, visit)
	eachProperty(s.Additional, visit)
}

// IsRewritten says whether the definition of the kind is not as it is embedded any more, because the platform has names of its own.
func (k *Kind) IsRewritten() bool { return k.translation != nil }

// IsRenamed says whether members of the kind have other names than the neutral ones, or the kind itself.
func (k *Kind) IsRenamed() bool {
	return k.translation != nil && (len(k.translation.members) > 0 || k.translation.kind != k.Name || k.translation.group != k.Group)
}

// Neutral returns the group and the name that the kind has in neutral words, for what is written in them, such as lint rules.
func (k *Kind) Neutral() (group, name string) {
	if k.translation == nil {
		return k.Group, k.Name
	}
	return k.translation.group, k.translation.kind
}

// InNeutralWords calls do while the members of an object of the kind have their neutral names. Places do not change.
func (k *Kind) InNeutralWords(root manifest.Node, do func()) {
	if k.translation == nil || len(k.translation.members) == 0 {
		do()
		return
	}
	var back []func()
	k.rename(root, k.Schema, &back)
	do()
	for _, undo := range back {
		undo()
	}
}

// rename gives the members of a value their neutral names, and collects how to undo it.
func (k *Kind) rename(n manifest.Node, s *schema.Schema, back *[]func()) {
	if s == nil {
		return
	}
	for c := range n.Children() {
		below := s.Items
		if n.Type() == manifest.Map {
			below = s.Field(c)
		}
		k.rename(c, below, back)
		if neutral, ok := k.translation.members[below]; ok && n.Type() == manifest.Map {
			own := c.Key()
			*back = append(*back, func() { c.Rename(own) })
			c.Rename(neutral)
		}
	}
}

// OwnPath returns a path in neutral words, as spec.recording.objectStoreLocation, in those of the platform.
func (k *Kind) OwnPath(path string) string {
	if k.translation == nil || len(k.translation.members) == 0 {
		return path
	}
	var own []byte
	s := k.Schema
	for path != "" {
		step, rest := firstStep(path)
		path = rest
		if strings.HasPrefix(step, "[") && !strings.HasPrefix(step, `["`) {
			own = append(own, step...)
			if s != nil {
				s = s.Items
			}
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(step, `["`), `"]`)
		name, s = k.ownMember(s, name)
		own = manifest.AppendKey(own, name)
	}
	return string(own)
}

// firstStep cuts the first field or item off a path.
func firstStep(path string) (step, rest string) {
	path = strings.TrimPrefix(path, ".")
	end := strings.IndexAny(path[1:], ".[") + 1
	switch {
	case strings.HasPrefix(path, `["`):
		end = strings.Index(path, `"]`) + len(`"]`)
	case path[0] == '[':
		end = strings.IndexByte(path, ']') + 1
	}
	if end <= 0 || end > len(path) {
		end = len(path)
	}
	return path[:end], path[end:]
}

// ownMember returns the platform's name of a member, and its schema.
func (k *Kind) ownMember(s *schema.Schema, neutral string) (string, *schema.Schema) {
	if s == nil {
		return neutral, nil
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		name, renamed := "", false
		if k.translation != nil {
			name, renamed = k.translation.members[p.Schema]
		}
		if renamed && name == neutral || !renamed && p.Name == neutral {
			return p.Name, p.Schema
		}
	}
	return neutral, s.Additional
}

// OwnText returns a text for people with the platform's names in place of the neutral ones that it mentions.
func (k *Kind) OwnText(text string) string {
	if k.translation == nil {
		return text
	}
	return replaceWords(text, k.translation.words)
}
