//lint:file-ignore SA1019 deprecated fields are built too

package kustomize

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Edit is what an object changes in a kustomization before it is built, as Flux and Argo CD do.
type Edit struct {
	// Fields is a kustomization with the changes. Its paths are relative to the directory, and its places move to the
	// object.
	Fields *source.Source
	// At is where the object names the directory.
	At source.Place
	// Resources are the resources of a directory without a kustomization, relative to it; nil if it has one.
	Resources []string
	// ReplacesImages means that an image replaces that of the same name. Otherwise it replaces the fields that it sets.
	ReplacesImages bool
	// Substitute replaces variables in the text of an object that has been built; nil for none.
	Substitute func(text string) string
}

// LoadEdited is like Load, for a kustomization that an object changes.
func (r *Repository) LoadEdited(dir string, e *Edit) (*Kustomization, *Fault) {
	l := &layer{dir: dir, texts: map[string]string{}, empty: map[string]bool{}, named: e.At}
	if e.Resources != nil {
		text := "resources:\n- " + strings.Join(quoted(e.Resources), "\n- ") + "\n"
		l.given = &source.Source{Name: e.At.File, Text: text, Written: e.Fields.Written}
	}
	fault := r.read(l, 0)
	if fault == nil {
		fault = r.edit(l, e)
	}
	if fault == nil {
		fault = l.tooLarge()
	}
	if fault != nil {
		return nil, fault
	}
	return &Kustomization{r, l, e.Substitute}, nil
}

// quoted returns names as YAML strings.
func quoted(names []string) (list []string) {
	for _, name := range names {
		list = append(list, "'"+strings.ReplaceAll(name, "'", "''")+"'")
	}
	return list
}

// edit changes a layer. The changes become a layer too, which knows their places.
func (r *Repository) edit(l *layer, e *Edit) *Fault {
	x := &layer{dir: l.dir, file: l.file, src: e.Fields, texts: l.texts, empty: l.empty}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(x.src) {
		tree.Read(x.src, part)
		break
	}
	if x.root = tree.Root(); !x.root.Valid() {
		return nil
	}
	if err := x.fields.Unmarshal([]byte(x.src.Text)); err != nil {
		return x.fault(e.At, causeOf(err))
	}
	v := vetter{r, x, 0}
	for _, vet := range []func() *Fault{v.components, v.patches} {
		if fault := vet(); fault != nil {
			fault.IsOfFile = false
			return fault
		}
	}
	for i := range x.patches {
		x.patches[i].index += len(l.fields.Patches)
	}
	merge(&l.fields, &x.fields, e.ReplacesImages)
	l.bases, l.files = append(l.bases, x.bases...), append(l.files, x.files...)
	l.bytes, l.edit = l.bytes+x.bytes, x
	l.cost = costOf(l)
	return nil
}

// merge adds changes to a kustomization.
func merge(k, changes *types.Kustomization, replacesImages bool) {
	k.NamePrefix, k.NameSuffix = cmp.Or(changes.NamePrefix, k.NamePrefix), cmp.Or(changes.NameSuffix, k.NameSuffix)
	k.Namespace = cmp.Or(changes.Namespace, k.Namespace)
	k.Patches, k.Components = append(k.Patches, changes.Patches...), append(k.Components, changes.Components...)
	k.Labels = append(k.Labels, changes.Labels...)
	k.CommonLabels = united(k.CommonLabels, changes.CommonLabels)
	k.CommonAnnotations = united(k.CommonAnnotations, changes.CommonAnnotations)
	for _, image := range changes.Images {
		i := slices.IndexFunc(k.Images, func(own types.Image) bool { return own.Name == image.Name })
		switch {
		case i < 0:
			k.Images = append(k.Images, image)
		case replacesImages:
			k.Images[i] = image
		default:
			own := &k.Images[i]
			own.NewName = cmp.Or(image.NewName, own.NewName)
			if image.NewTag != "" || image.Digest != "" {
				own.NewTag, own.Digest = image.NewTag, image.Digest
			}
		}
	}
	for _, replica := range changes.Replicas {
		k.Replicas = slices.DeleteFunc(k.Replicas, func(own types.Replica) bool { return own.Name == replica.Name })
		k.Replicas = append(k.Replicas, replica)
	}
}

func united(own, changes map[string]string) map[string]string {
	all := maps.Clone(own)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, changes)
	return all
}
