package check

import (
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// OldObjects holds the objects before the update, by identity. It is filled before the run and only read during the
// run.
type OldObjects struct {
	objects map[identity]*oldObject
	// others are the objects that count if these do not have one; nil for none.
	others *OldObjects
}

// identity is what an object keeps across an update, even if its file or version changes.
type identity struct{ group, kind, namespace, name string }

type oldObject struct {
	root manifest.Node
	// file is the name that its file has now; "" if that is not known. next is another object of the same identity.
	file string
	next *oldObject
	// tree is locked while a document is compared with the object. The objects of one list share a tree, which all
	// workers read and prepare.
	tree       *sync.Mutex
	isPrepared bool
}

// NewOldObjects returns an empty set of old objects.
func NewOldObjects() *OldObjects { return &OldObjects{objects: map[identity]*oldObject{}} }

// Add adds the objects of one file. Documents that cannot be read are ignored, so the current objects count as
// created.
func (o *OldObjects) Add(name, text string) { o.AddSource(&source.Source{Name: name, Text: text}) }

// AddSource is like Add, for a text that a program made of other files.
func (o *OldObjects) AddSource(src *source.Source) { o.AddFile(src, "") }

// AddFile is like Add, for the text of a file that has a name now.
func (o *OldObjects) AddFile(src *source.Source, now string) {
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() {
			o.addNode(root, nil, &oldObject{tree: &sync.Mutex{}, file: now})
		}
	}
}

// addNode adds an object or the items of a list, which are like another one. If several objects have the same identity, that of
// the same file counts, or else the first one.
func (o *OldObjects) addNode(n manifest.Node, in *identity, like *oldObject) {
	kind := n.TextAt("kind")
	group, _ := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
	if in != nil {
		group, kind = in.group, in.kind
	}
	var of *identity
	single, isList := strings.CutSuffix(kind, "List")
	if isList && single != "" {
		of = &identity{group: group, kind: single}
	}
	for _, item := range appliedItems(n) {
		o.addNode(item, of, like)
	}
	meta, ok := n.Field("metadata")
	if !ok || meta.TextAt("name") == "" {
		return
	}
	id := identity{group, kind, meta.TextAt("namespace"), meta.TextAt("name")}
	added := &oldObject{root: n, tree: like.tree, file: like.file}
	first, ok := o.objects[id]
	switch {
	case !ok:
		o.objects[id] = added
	case first.in(added.file) == nil:
		first.next, added.next = added, first.next
	}
}

// in returns the first object of a file; nil if there is none.
func (o *oldObject) in(file string) *oldObject {
	for o != nil && o.file != file {
		o = o.next
	}
	return o
}

// UpdateOf returns an engine for texts that a program makes, of which it made old ones before. Their objects come before the
// other old objects.
func (e *Engine) UpdateOf(old []*source.Source) *Engine {
	now := *e
	now.options.Old = &OldObjects{map[identity]*oldObject{}, e.options.Old}
	for _, src := range old {
		now.options.Old.AddSource(src)
	}
	return &now
}

// blockInvalid blocks the objects in an old object that are invalid, if the server then does not validate some of
// their fields. They count as invalid if the server would reject an update that changes nothing.
func blockInvalid(root manifest.Node, k *catalog.Kind) {
	for _, u := range k.Schema.Unchecked {
		object := root.At(u.Object...)
		if !u.IfInvalid || !object.Valid() {
			continue
		}
		violations := k.Check(root, root)
		violations = append(violations, k.Rules.Check(nil, root, root).Violations...)
		for _, v := range violations {
			if _, isBelow := v.Path.Below(object.Path()); isBelow && v.Severity == diag.Error {
				object.Block()
			}
		}
	}
}

// defaultNamespace is where kubectl creates objects without a namespace, unless its configuration or a flag names another.
const defaultNamespace = "default"

// otherNamespace returns how a manifest may also name a namespace. It returns false if there is only one way.
func otherNamespace(namespace string) (string, bool) {
	switch namespace {
	case "":
		return defaultNamespace, true
	case defaultNamespace:
		return "", true
	}
	return "", false
}

// find returns the old object, prepared as the server stores it, and a function to call after use. The node is not
// valid if the object is being created. file is the name of the file of the document.
func (o *OldObjects) find(d *document, k *catalog.Kind, file string) (manifest.Node, func()) {
	if o == nil {
		return manifest.Node{}, func() {}
	}
	id := identity{k.Group, k.Name, d.Namespace, d.Name}
	old, ok := o.objects[id]
	if !ok {
		if id.namespace, ok = otherNamespace(id.namespace); ok {
			old, ok = o.objects[id]
		}
	}
	if !ok {
		return o.others.find(d, k, file)
	}
	if own := old.in(file); own != nil {
		old = own
	}
	old.tree.Lock()
	if !old.isPrepared {
		k.Prepare(old.root)
		blockInvalid(old.root, k)
		old.isPrepared = true
	}
	return old.root, old.tree.Unlock
}
