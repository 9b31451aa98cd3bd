package catalog

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// secretsAnnotation is the annotation of a definition that names fields with secret values, in addition to those with
// format password. It lists paths of fields, each with an optional condition on the value of another field, such as
// "metadata.name if spec.join_method=token; spec.key".
const secretsAnnotation = "kindvet/secrets"

type secretField struct {
	path      []string
	condition []string // the path of the field in the condition; empty if there is no condition
	value     string
}

func (p *crdParser) secretFields() []secretField {
	var members []secretField
	annotation := p.root.At("metadata", "annotations", secretsAnnotation)
	if !annotation.Valid() {
		return nil
	}
	for entry := range strings.SplitSeq(annotation.Text(), ";") {
		path, condition, conditional := strings.Cut(strings.TrimSpace(entry), " if ")
		m := secretField{path: strings.Split(strings.TrimSpace(path), ".")}
		if conditional {
			field, value, ok := strings.Cut(condition, "=")
			if !ok {
				p.reject(annotation, diag.BadFormat, "a condition must have the form PATH=VALUE",
					"for example: metadata.name if spec.join_method=token")
				continue
			}
			m.condition, m.value = strings.Split(strings.TrimSpace(field), "."), strings.TrimSpace(value)
		}
		members = append(members, m)
	}
	return members
}

// HoldsSecrets reports whether objects of the kind may have fields that hold secrets.
func (k *Kind) HoldsSecrets() bool { return len(k.secrets) > 0 || k.Schema.HasSecrets() }

// EachSecret calls found for each secret value of an object of the kind. If a key is set twice, it calls found for
// both values. The content of a map that such a duplicate overrides is not known: a condition about it counts as met,
// and for a secret below it found gets the map.
func (k *Kind) EachSecret(n manifest.Node, found func(manifest.Node)) {
	k.Schema.EachSecret(n, found)
	for _, m := range k.secrets {
		secret := len(m.condition) == 0
		eachAt(n, m.condition, func(f manifest.Node) { secret = secret || f.Shadowed() || f.Text() == m.value })
		if secret {
			eachAt(n, m.path, found)
		}
	}
}

func eachAt(n manifest.Node, path []string, found func(manifest.Node)) {
	if len(path) == 0 {
		found(n)
		return
	}
	if n.Type() != manifest.Map {
		if n.Shadowed() {
			found(n)
		}
		return
	}
	for f := range n.Children() {
		if f.Key() == path[0] {
			eachAt(f, path[1:], found)
		}
	}
}

// WithSecrets returns the kinds with secrets that were probably meant by a document whose apiVersion or kind is wrong.
// These are all versions of the kinds with that name or a similar one or, if the document has no kind, of the kinds in
// that group.
func (c *Catalog) WithSecrets(group, kind string) []*Kind {
	return c.secrets.of(identity{group: group, kind: kind}, func() []*Kind {
		return c.kindsWithSecrets(func(e *Entry) bool {
			if kind == "" {
				return e.Group == group
			}
			_, near := nearest.Name(kind, []string{e.Name, e.ListName})
			return near || kind == e.Name || kind == e.ListName
		})
	})
}

// SecretsMentioned returns the kinds with secrets whose names occur in a text. The name of a kind of Kubernetes must
// be a word, because it is part of other names, such as imagePullSecrets.
func (c *Catalog) SecretsMentioned(text string) []*Kind {
	return c.kindsWithSecrets(func(e *Entry) bool {
		if e.Origin == Kubernetes {
			return startsWord(text, e.Name)
		}
		return strings.Contains(text, e.Name)
	})
}

// startsWord reports whether a word of a text starts with name.
func startsWord(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		if i == 0 || !isLetter(text[i-1]) {
			return true
		}
		from = i + len(name)
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (c *Catalog) kindsWithSecrets(meant func(*Entry) bool) []*Kind {
	var found []*Kind
	for _, e := range c.Entries() {
		if !meant(e) {
			continue
		}
		for _, version := range e.Versions {
			if k, ok := e.Kind(version); ok && k.HoldsSecrets() {
				found = append(found, k)
			}
		}
	}
	return found
}
