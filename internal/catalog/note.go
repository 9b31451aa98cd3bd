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

// costLimitsAnnotation is the annotation of a definition that names limits which no manifest has to keep: they are there because an API
// server installs no definition whose CEL rules might cost too much. It lists paths of keywords, as "spec.egress.maxItems; spec.egress[].to.maxItems".
const costLimitsAnnotation = "kindvet/cost-limits"

// messagesAnnotation is the annotation of a definition that says a keyword in other words. It holds a YAML list; see [note].
const messagesAnnotation = "kindvet/messages"

// note is what an annotation says of the keyword at a path, in neutral words. Without a message it drops a limit.
type note struct {
	annotation manifest.Node
	path       string
	message    schema.Message
}

func (p *crdParser) notes() []note {
	annotations := p.root.At("metadata", "annotations")
	if !annotations.Valid() {
		return nil
	}
	var notes []note
	if limits := annotations.At(costLimitsAnnotation); limits.Valid() {
		for path := range strings.SplitSeq(limits.Text(), ";") {
			notes = append(notes, note{annotation: limits, path: strings.TrimSpace(path)})
		}
	}
	if messages := annotations.At(messagesAnnotation); messages.Valid() {
		notes = append(notes, p.messages(messages)...)
	}
	return notes
}

// messages reads the list of messages: of is the path of the keyword, message and help are what is said, at lists the fields of which the
// first that is set is marked.
func (p *crdParser) messages(annotation manifest.Node) []note {
	src := &source.Source{Name: messagesAnnotation, Text: annotation.Text()}
	var notes []note
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if len(tree.Read(src, part)) > 0 || tree.Root().Type() != manifest.List {
			p.reject(annotation, diag.BadFormat, "must be a YAML list of messages", "give each item the fields of, message and help")
			return nil
		}
		for item := range tree.Root().Children() {
			m := note{
				annotation: annotation, path: item.TextAt("of"),
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

// applyNotes does to the schemas of a definition what its annotations say. A path that leads nowhere in any version is a violation.
func applyNotes(root manifest.Node, kinds []*Kind) []diag.Violation {
	p := crdParser{root: root}
	for _, n := range p.notes() {
		applied := false
		for _, k := range kinds {
			applied = k.apply(n) || applied
		}
		if !applied {
			p.reject(n.annotation, diag.BadFormat, fmt.Sprintf("%q leads to no keyword that this annotation can be about", n.path),
				"write the path of a keyword, such as spec.ports[].maxItems")
		}
	}
	return p.violations
}

// apply does what one note says, in the platform's words, and returns false where the path leads nowhere.
func (k *Kind) apply(n note) bool {
	path, keyword := n.path[:max(strings.LastIndexByte(n.path, '.'), 0)], n.path[strings.LastIndexByte(n.path, '.')+1:]
	fields := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
	own := k.ownNames(fields)
	for i, step := range strings.Split(path, ".") {
		own[i] += step[len(fields[i]):] // the brackets
	}
	path = strings.Join(append(own, keyword), ".")
	if n.message.Text == "" {
		return k.Schema.DropLimit(path)
	}
	m := schema.Message{Text: k.OwnText(n.message.Text), Help: k.OwnText(n.message.Help)}
	for _, field := range n.message.At {
		m.At = append(m.At, k.ownNames(append(slices.Clone(fields), field))[len(fields)])
	}
	return k.Schema.SetMessage(path, m)
}
