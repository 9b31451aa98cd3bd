package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// costLimitsAnnotation is the annotation of a definition that names limits which manifests need not keep. The limits
// exist only because an API server does not install a definition whose CEL rules might cost too much. The value lists
// paths of keywords, such as "spec.egress.maxItems; spec.egress[].to.maxItems".
const costLimitsAnnotation = "kindvet/cost-limits"

// messagesAnnotation is the annotation of a definition that replaces the messages of keywords. It holds a YAML list,
// see [note].
const messagesAnnotation = "kindvet/messages"

// notSpecifiedAnnotation is the annotation of a definition that names keywords which the specification of the kind
// does not state. It lists paths in the form of [costLimitsAnnotation]. To restrict a path to one version, put the
// version before it: "spec.name.minLength; v1beta1 spec.port.type".
const notSpecifiedAnnotation = "kindvet/not-specified"

// note is what an annotation states about the keyword at a path, in built-in names.
type note struct {
	annotation manifest.Node
	version    string // "" for all versions
	path       string
	change     func(k *Kind, path string, m schema.Message) bool
	message    schema.Message
}

func (p *crdParser) notes() []note {
	annotations := p.root.At("metadata", "annotations")
	if !annotations.Valid() {
		return nil
	}
	drop := func(k *Kind, path string, _ schema.Message) bool { return k.dropLimit(path) }
	disown := func(k *Kind, path string, _ schema.Message) bool { return k.Schema.SetOwn(path) }
	notes := append(pathNotes(annotations.At(costLimitsAnnotation), drop),
		pathNotes(annotations.At(notSpecifiedAnnotation), disown)...)
	if messages := annotations.At(messagesAnnotation); messages.Valid() {
		notes = append(notes, p.messages(messages)...)
	}
	return notes
}

// pathNotes reads an annotation that lists paths.
func pathNotes(annotation manifest.Node, change func(*Kind, string, schema.Message) bool) []note {
	if !annotation.Valid() {
		return nil
	}
	var notes []note
	for entry := range strings.SplitSeq(annotation.Text(), ";") {
		n := note{annotation: annotation, path: strings.TrimSpace(entry), change: change}
		if version, path, ok := strings.Cut(n.path, " "); ok {
			n.version, n.path = version, path
		}
		notes = append(notes, n)
	}
	return notes
}

// messages reads the list of messages. In an item, of is the path of the keyword, message and help are the texts, and
// at lists fields: the first that is set is marked.
func (p *crdParser) messages(annotation manifest.Node) []note {
	src := &source.Source{Name: messagesAnnotation, Text: annotation.Text()}
	var notes []note
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if len(tree.Read(src, part)) > 0 || tree.Root().Type() != manifest.List {
			p.reject(annotation, diag.BadFormat, "must be a YAML list of messages", "set of, message and help in each item")
			return nil
		}
		for item := range tree.Root().Children() {
			m := note{
				annotation: annotation, path: item.TextAt("of"), change: (*Kind).setMessage,
				message: schema.Message{Text: item.TextAt("message"), Help: item.TextAt("help")},
			}
			for field := range item.At("at").Children() {
				m.message.At = append(m.message.At, field.Text())
			}
			notes = append(notes, m)
		}
	}
	return notes
}

// applyNotes applies the annotations of a definition to its schemas. A path that does not exist in any version is a
// violation.
func applyNotes(root manifest.Node, kinds []*Kind) []diag.Violation {
	p := crdParser{root: root}
	for _, n := range p.notes() {
		applied := false
		for _, k := range kinds {
			applied = k.apply(n) || applied
		}
		if !applied {
			p.reject(n.annotation, diag.BadFormat, fmt.Sprintf("%q is not the path of a supported keyword", n.path),
				"use the path of a keyword, such as spec.ports[].maxItems")
		}
	}
	return p.violations
}

// IsCostLimit reports whether a keyword of the kind's definition only limits the cost of CEL rules, so objects need
// not satisfy it.
func (k *Kind) IsCostLimit(keyword manifest.Node) bool { return slices.Contains(k.costLimits, keyword) }

func (k *Kind) setMessage(path string, m schema.Message) bool { return k.Schema.SetMessage(path, m) }

func (k *Kind) dropLimit(path string) bool {
	limit, ok := k.Schema.DropLimit(path)
	if ok {
		k.costLimits = append(k.costLimits, limit)
	}
	return ok
}

// apply applies one note, in the platform's names. It returns false if the path does not exist.
func (k *Kind) apply(n note) bool {
	if n.version != "" && n.version != k.Version {
		return false
	}
	path, keyword := n.path[:max(strings.LastIndexByte(n.path, '.'), 0)], n.path[strings.LastIndexByte(n.path, '.')+1:]
	fields := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
	own := k.Names.Fields(fields)
	for i, step := range strings.Split(path, ".") {
		own[i] += step[len(fields[i]):] // the brackets
	}
	path = strings.Join(append(own, keyword), ".")
	m := schema.Message{Text: k.Names.Text(n.message.Text), Help: k.Names.Text(n.message.Help)}
	for _, field := range n.message.At {
		m.At = append(m.At, k.Names.Fields(append(slices.Clone(fields), field))[len(fields)])
	}
	return n.change(k, path, m)
}
