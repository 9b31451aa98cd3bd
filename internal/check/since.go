package check

import (
	"hash/maphash"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// OldTexts holds the texts of the objects of a revision, and the settings that they were checked with. A document with
// one of these texts and the same settings is unchanged, even if it has moved. A nil *OldTexts is empty.
type OldTexts struct {
	seed     maphash.Seed
	texts    map[uint64]bool
	settings uint64 // the hash of the settings
	changed  *ChangedKinds
}

// NewOldTexts returns an empty set of texts. Objects that depend on what has changed are never unchanged.
func NewOldTexts(changed *ChangedKinds) *OldTexts {
	return &OldTexts{seed: maphash.MakeSeed(), texts: map[uint64]bool{}, changed: changed}
}

// With returns the same set, for documents that are or were checked with these settings, a comparable value.
func (s *OldTexts) With(settings any) *OldTexts {
	if s == nil {
		return nil
	}
	with := *s
	with.settings = maphash.Comparable(s.seed, settings)
	return &with
}

// changedKinds returns what objects depend on and has changed.
func (s *OldTexts) changedKinds() *ChangedKinds {
	if s == nil {
		return nil
	}
	return s.changed
}

// Add adds the documents of an old file that an engine checks, and the items of its lists.
func (s *OldTexts) Add(e *Engine, src *source.Source, f File) {
	c := newChecker(e, &Memory{}, src, f, &Result{}, &Tally{})
	for part := range manifest.Parts(src) {
		violations := c.memory.tree.Read(src, part)
		c.part, c.read = part, part
		root := c.memory.tree.Root()
		d := document{Object: diag.Object{Document: part.Index}}
		switch {
		case root.Valid():
			if identity, _ := c.identify(root, &d); root.Type() == manifest.List || !c.skipOther(root, &d, identity) {
				s.addNode(root)
			}
		case !c.skipTemplate(violations) && !c.skipUnreadable(violations):
			s.addText(src.Text[part.Span.Start:part.Span.End])
		}
	}
}

// addSource adds the documents of a text that a program made of other files.
func (s *OldTexts) addSource(src *source.Source) {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() {
			s.addNode(root)
			continue
		}
		s.addText(src.Text[part.Span.Start:part.Span.End])
	}
}

func (s *OldTexts) addNode(n manifest.Node) {
	s.addText(textOf(n))
	list := n
	if items, ok := n.Field("items"); ok {
		list = items
	}
	if list.Type() == manifest.List {
		for item := range list.Children() {
			s.addNode(item)
		}
	}
}

func (s *OldTexts) addText(text string) { s.texts[s.hash(text)] = true }

// knows reports whether an old document had this text.
func (s *OldTexts) knows(text string) bool { return s != nil && s.texts[s.hash(text)] }

// hash returns the hash of a text. LF and CRLF hash the same, because git may store LF where the working tree has
// CRLF.
func (s *OldTexts) hash(text string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	maphash.WriteComparable(&h, s.settings)
	h.WriteString(strings.ReplaceAll(text, "\r\n", "\n"))
	return h.Sum64()
}

// knowsNode reports whether an old document had the text of an object, and nothing has changed that it depends on. If
// something has, a list of objects is never known, only its items.
func (s *OldTexts) knowsNode(n manifest.Node, o diag.Object) bool {
	return s != nil && !s.changed.affect(n, o) && s.knows(textOf(n))
}

// textOf returns the text that decides whether an object has changed. An item of a list may take values from anchors
// elsewhere in the document, so then that is the whole document.
func textOf(n manifest.Node) string {
	text := n.Raw()
	if n.Index() != 0 && hasAlias(text) {
		return n.Tree().Root().Raw() + "\x00" + text
	}
	return text
}

// hasAlias reports whether a text seems to have an alias: * and a name at the start of a value.
func hasAlias(text string) bool {
	for {
		i := strings.IndexByte(text, '*')
		if i < 0 || i+1 == len(text) {
			return false
		}
		if (i == 0 || strings.IndexByte(" \t\n[{,:", text[i-1]) >= 0) && strings.IndexByte(" \t\r\n*\"'/.,]}", text[i+1]) < 0 {
			return true
		}
		text = text[i+1:]
	}
}

// ChangedKinds are the kinds whose CRDs have changed, and the Namespaces that have. Whether an object of the kind, or in
// the Namespace, is valid may have changed with them. A nil *ChangedKinds is empty.
type ChangedKinds struct {
	kinds      map[[2]string]bool // group and kind
	namespaces map[string]bool
}

// IsEmpty reports whether nothing has changed.
func (c *ChangedKinds) IsEmpty() bool { return c == nil || len(c.kinds)+len(c.namespaces) == 0 }

// Compare adds what differs between the old and the new texts of files. Each text that may have a CRD or a Namespace must
// be among them; one that has not changed may be among both.
func (c *ChangedKinds) Compare(old, now []*source.Source) {
	was, is := dependencies(old), dependencies(now)
	for _, side := range [...][2]map[dependency][]string{{was, is}, {is, was}} {
		for d, texts := range side[0] { // order does not matter
			if strings.Join(texts, "\x00") == strings.Join(side[1][d], "\x00") {
				continue
			}
			if d.kind == "" {
				c.namespaces[d.name] = true
			} else {
				c.kinds[[2]string{d.name, d.kind}] = true
			}
		}
	}
}

// NewChangedKinds returns an empty set.
func NewChangedKinds() *ChangedKinds {
	return &ChangedKinds{kinds: map[[2]string]bool{}, namespaces: map[string]bool{}}
}

// dependency is a kind with its group in name, or the name of a Namespace.
type dependency struct{ name, kind string }

func dependencies(sources []*source.Source) map[dependency][]string {
	found := map[dependency][]string{}
	tree := &manifest.Tree{}
	for _, src := range sources {
		for part := range manifest.Parts(src) {
			if tree.Read(src, part); tree.Root().Valid() {
				addDependencies(found, tree.Root())
			}
		}
	}
	return found
}

func addDependencies(found map[dependency][]string, n manifest.Node) {
	list := n
	if items, ok := n.Field("items"); ok {
		list = items
	}
	if list.Type() == manifest.List {
		for item := range list.Children() {
			addDependencies(found, item)
		}
		return
	}
	d := dependency{}
	switch {
	case catalog.IsDefinition(n):
		d = dependency{n.At("spec", "group").Text(), n.At("spec", "names", "kind").Text()}
	case n.TextAt("kind") == "Namespace" && strings.Contains(n.Raw(), podSecurity):
		d.name = n.At("metadata", "name").Text()
	}
	if d != (dependency{}) {
		found[d] = append(found[d], strings.ReplaceAll(textOf(n), "\r\n", "\n"))
	}
}

// podSecurity is in the labels of a Namespace that enforces a level of the Pod Security Standards.
const podSecurity = "pod-security.kubernetes.io/"

// MayChangeKinds reports whether a text may have a CRD, or a Namespace that matters for the objects in it.
func MayChangeKinds(text string) bool {
	return strings.Contains(text, "CustomResourceDefinition") || strings.Contains(text, podSecurity)
}

// affect reports whether an object may be valid or invalid now because of what has changed.
func (c *ChangedKinds) affect(n manifest.Node, o diag.Object) bool {
	if c.IsEmpty() {
		return false
	}
	return n.At("items").Type() == manifest.List || c.affectObject(o)
}

func (c *ChangedKinds) affectObject(o diag.Object) bool {
	if c.IsEmpty() {
		return false
	}
	group, _ := catalog.SplitAPIVersion(o.APIVersion)
	return c.kinds[[2]string{group, o.Kind}] || c.namespaces[o.Namespace]
}
