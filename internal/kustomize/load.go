package kustomize

import (
	"path"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// load reads the layer in a directory and those below it, each once.
func (r *Repository) load(dir string, depth int) (*layer, *Fault) {
	known, ok := r.layers[dir]
	if !ok {
		known = &loaded{isLoading: true}
		r.layers[dir] = known
		l := &layer{dir: dir, texts: map[string]string{}, empty: map[string]bool{}}
		if fault := r.read(l, depth); fault != nil {
			of := *fault // that of a base may be the fault of several
			of.Files = slices.Concat(of.Files, l.files, l.missing)
			known.fault = &of
		}
		known.layer, known.isLoading = l, false
	}
	if known.isLoading {
		start := source.FileStart(r.reader.Name(dir))
		return nil, &Fault{Violation: invalid("the kustomization contains itself", start), File: dir}
	}
	return known.layer, known.fault
}

// read reads a layer.
func (r *Repository) read(l *layer, depth int) *Fault {
	text, fault := r.find(l)
	if fault != nil {
		return fault
	}
	if l.src = l.given; l.src == nil {
		l.src = &source.Source{Name: r.reader.Name(l.file), Text: text}
	}
	start := l.src.Place(source.Span{})
	tree := &manifest.Tree{}
	for part := range manifest.Parts(l.src) {
		if found := tree.Read(l.src, part); !tree.Root().Valid() && len(found) > 0 {
			found[0].Detach()
			return &Fault{Violation: found[0], IsOfFile: true, File: l.file}
		}
		break
	}
	l.root, l.isBare = tree.Root(), !tree.Root().Valid()
	if !l.root.Valid() || l.root.Type() != manifest.Map {
		return l.known(start, "the file is not a kustomization")
	}
	if depth > maxDepth {
		return l.limit("the kustomizations are nested too deeply")
	}
	if err := l.fields.Unmarshal([]byte(text)); err != nil {
		return l.known(start, causeOf(err))
	}
	l.fields.FixKustomization()
	if wrong := l.fields.EnforceFields(); len(wrong) > 0 {
		return l.known(start, strings.Join(wrong, ", "))
	}
	l.isBare = l.fields.CheckEmpty() != nil
	v := vetter{r, l, depth}
	for _, vet := range []func() *Fault{v.resources, v.components, v.patches, v.otherFiles, v.data, v.charts, v.plugins} {
		if fault := vet(); fault != nil {
			return fault
		}
	}
	l.cost = costOf(l)
	return nil
}

// find finds the kustomization file of a layer, and returns its text.
func (r *Repository) find(l *layer) (text string, fault *Fault) {
	if l.given != nil {
		l.file = path.Join(l.dir, kustomization.Names[0])
		return l.given.Text, nil
	}
	for _, name := range kustomization.Names {
		full := path.Join(l.dir, name)
		found, ok, err := r.text(full)
		start := source.FileStart(r.reader.Name(full))
		switch {
		case err != nil:
			return "", &Fault{Violation: invalid(causeOf(err), start), File: full}
		case !ok:
			continue
		case l.file != "":
			return "", &Fault{Violation: invalid("the directory also has "+path.Base(l.file), start), File: full}
		}
		l.file, text = full, found
		l.files = append(l.files, full)
	}
	if l.file == "" {
		start := source.FileStart(r.reader.Name(l.dir))
		return "", &Fault{Violation: invalid("the directory has no kustomization file", start), IsOfFile: true, File: l.dir}
	}
	return text, nil
}

// text returns the text of a file. It returns false if there is no such file.
func (r *Repository) text(name string) (string, bool, error) {
	if r.reader.IsDirectory(name) {
		return "", false, nil
	}
	text, err := r.reader.Read(name)
	if isMissing(err) {
		return "", false, nil
	}
	return text, err == nil, err
}
