package catalog

import (
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/names"
)

// Renamed returns built-in kinds under a platform's own names. They must follow the built-in kinds in a catalog. The
// catalog still finds a kind by its built-in name, with built-in fields, but does not list it.
//
// If a name is not possible, Renamed returns violations and no kinds.
func Renamed(builtIn Source, v names.Vocabulary) (Source, []diag.Violation) {
	if v.IsZero() {
		return nil, nil
	}
	var entries []*Entry
	var definitions []*names.Definition
	for _, e := range New(builtIn).Entries() {
		if e.Group != kubernetesGroup {
			entries = append(entries, e)
			definitions = append(definitions, &names.Definition{
				Group: e.Group, Kind: e.Name, ListKind: e.ListName, Plural: e.Plural, Tree: readEmbedded(e.embeddedFile()),
			})
		}
	}
	renaming, violations := names.New(v, definitions)
	if len(violations) > 0 {
		return nil, violations
	}
	var renamed Source
	for i, e := range entries {
		renamed = append(renamed, e.renamed(renaming, definitions[i]))
	}
	return renamed, nil
}

// kubernetesGroup is the group of an embedded kind that belongs to Kubernetes itself and has the same name on all
// platforms.
const kubernetesGroup = "apiextensions.k8s.io"

// renamed returns an entry under its new names. The definition itself is rewritten when a document first needs it.
func (e *Entry) renamed(r *names.Renaming, d *names.Definition) *Entry {
	to := r.Names(d)
	load := func() loaded {
		r.Rewrite(d)
		kinds, violations := parseCRD(d.Tree.Root(), BuiltIn)
		if !r.ChangesSchemas(d) {
			ship(kinds, e.embeddedFile(), d.Tree.Source.Text)
		}
		for _, k := range kinds {
			k.callBy(r.View(d, k.Schema))
		}
		return loaded{kinds, append(violations, applyNotes(d.Tree.Root(), kinds)...)}
	}
	return &Entry{
		Group: to.Group, Name: to.Kind, ListName: to.ListKind, Plural: to.Plural, Origin: BuiltIn,
		Namespaced: e.Namespaced, Versions: e.Versions, builtIn: e, load: sync.OnceValue(load),
	}
}

// callBy gives a kind the names of a platform. Before that, everything that the catalog states about the kind is in
// built-in names.
func (k *Kind) callBy(v *names.View) {
	k.Names = v
	for i := range k.secrets {
		k.secrets[i].path, k.secrets[i].condition = v.Fields(k.secrets[i].path), v.Fields(k.secrets[i].condition)
	}
}

// like returns a copy of the entry of a CRD that defines the same kind as a renamed entry. Its kinds get the same
// built-in names, so lint rules apply to them.
func (e *Entry) like(renamed *Entry) *Entry {
	same := *e
	same.builtIn = renamed.builtIn
	same.load = sync.OnceValue(func() loaded {
		l := loaded{violations: e.load().violations}
		for _, k := range e.load().kinds {
			named := *k
			if model, ok := renamed.nearest(k.Version); ok {
				named.Names = model.Names.Of(k.Schema)
			}
			l.kinds = append(l.kinds, &named)
		}
		return l
	})
	return &same
}

// nearest returns the given version of the entry's kind, or the last version if that one does not exist.
func (e *Entry) nearest(version string) (*Kind, bool) {
	if k, ok := e.Kind(version); ok {
		return k, true
	}
	return e.Kind(e.Versions[len(e.Versions)-1])
}

// BuiltInName returns the built-in group and name of the kind, which lint rules use.
func (k *Kind) BuiltInName() (group, name string) {
	if k.Names == nil {
		return k.Group, k.Name
	}
	return k.Names.Group, k.Names.Kind
}
