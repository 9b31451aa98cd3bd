package kustomize

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// trials are builds with one changed value. The output then tells what the value sets.
type trials struct {
	left int // that may still be made
	// known are the outputs, by the place of the changed value; nil if the build fails.
	known map[valueKey][]object
	kept  int // bytes of them
}

// valueKey is the place of a value in a text.
type valueKey struct {
	src  *source.Source
	span source.Span
}

// MostTrials is the maximum number of builds of a kustomization that find where values of the output were set. The
// caller may allow fewer. Each takes as long as the build.
const MostTrials = 40

// mostKept is the maximum number of bytes of the outputs of trials that are kept for a kustomization. What is not kept
// is built again.
const mostKept = 4 << 20

// AllowTrials limits the number of further builds, with one changed value each, that find where values of the output
// were set.
func (b *Built) AllowTrials(n int) { b.trials.left = min(n, MostTrials) }

// change is a change of a value in a text that the library reads. It is nil if the value cannot be changed.
type change struct {
	file string // relative to the top
	// path leads to the value in a JSON document of the file; it is nil if the file is not JSON.
	path     []any // keys and indices
	document int
	// span is the part of the file, or of the string at the path, that is replaced; if it is empty, all of it is.
	span   source.Span
	before string // stays before the value
	// isSource means that the span, or the object at the path, is the source of a replacement.
	isSource bool
	was      manifest.Node // the value
}

// trialNumber takes the place of a number.
const trialNumber = 1_876_543_219

// trialWord returns what takes the place of a string. No file has it.
func (r *Repository) trialWord() string {
	return "k" + strings.ToLower(r.word[len(r.word)-12:len(r.word)-1])
}

// value returns what takes the place of the value.
func (c *change) value(word string) any {
	switch c.was.Type() {
	case manifest.Integer, manifest.Float:
		return trialNumber
	case manifest.Boolean:
		return !c.was.Boolean()
	}
	return c.before + word
}

// apply changes the files of a build.
func (c *change) apply(f *files, word string) bool {
	text, ok := f.texts[c.file]
	if !ok {
		var err error
		if text, err = f.reader.Read(c.file); err != nil {
			return false
		}
	}
	if c.path == nil {
		text, ok = c.splice(text, word)
	} else {
		text, ok = c.inJSON(text, word)
	}
	f.texts[c.file] = text
	if slimOf := f.slim; slimOf != nil {
		f.slim = func(name, text string) *slim {
			if name == c.file {
				return nil
			}
			return slimOf(name, text)
		}
	}
	return ok
}

// splice replaces a part of a text of YAML, or all of a text.
func (c *change) splice(text, word string) (string, bool) {
	switch {
	case c.span == source.Span{}:
		return word, true
	case c.span.End > len(text):
		return "", false
	}
	value, err := json.Marshal(c.value(word))
	if c.isSource {
		value = []byte("sourceValue: " + word)
	}
	return text[:c.span.Start] + string(value) + text[c.span.End:], err == nil
}

// inJSON replaces a value in one of the JSON documents of a text.
func (c *change) inJSON(text, word string) (string, bool) {
	documents := strings.Split(text, configEnd)
	if c.document >= len(documents) {
		return "", false
	}
	var root any
	if json.Unmarshal([]byte(documents[c.document]), &root) != nil {
		return "", false
	}
	into, ok := root, true
	for _, step := range c.path[:len(c.path)-1] {
		if into, ok = atStep(into, step); !ok {
			return "", false
		}
	}
	last := c.path[len(c.path)-1]
	old, ok := atStep(into, last)
	if !ok {
		return "", false
	}
	if of, isMap := old.(map[string]any); isMap && c.isSource {
		delete(of, "source")
		of["sourceValue"] = word
	}
	value := c.value(word)
	if text, isText := old.(string); isText && c.span != (source.Span{}) {
		if value, ok = c.splice(text, word); !ok {
			return "", false
		}
	}
	switch of := into.(type) {
	case map[string]any:
		of[last.(string)] = value
	case []any:
		if !c.isSource {
			of[last.(int)] = value
		}
	}
	changed, err := json.Marshal(root)
	documents[c.document] = string(changed)
	return strings.Join(documents, configEnd), err == nil
}

func atStep(value, step any) (any, bool) {
	switch of := value.(type) {
	case map[string]any:
		key, _ := step.(string)
		found, ok := of[key]
		return found, ok
	case []any:
		if i, ok := step.(int); ok && i < len(of) {
			return of[i], true
		}
	}
	return nil, false
}

// outcome is what a trial shows.
type outcome uint8

const (
	unknown outcome = iota
	refuted         // the value does not set the one of the output
	proven
)

// try reports whether a value of the output is set by a supplier: whether it changes with that.
func (o *origins) try(s *supplier, steps []step) outcome {
	objects, word := o.built.try(s)
	shown := unknown
	for i := range objects {
		t := &objects[i]
		if t.kind != o.kind || t.file != o.object.file && t.file != "" && o.object.file != "" {
			continue
		}
		was := func(text string) string {
			return short(o.kind, strings.ReplaceAll(text, word, strings.TrimPrefix(s.change.was.Text(), s.change.before)))
		}
		if was(t.name) != short(o.kind, o.name) {
			continue
		}
		tree := &manifest.Tree{}
		src := &source.Source{Text: t.text}
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
			break
		}
		root := tree.Root()
		if !root.Valid() || was(textAt(root, "metadata", "namespace")) != textAt(o.tree.Root(), "metadata", "namespace") {
			continue
		}
		n, ok := followExactly(root, steps)
		if ok && s.change.isIn(n, word, o.kind == "Secret" && steps[0].key == "data") {
			return proven
		}
		shown = refuted
	}
	return shown
}

// short returns a name without the hash that the library adds to that of a generated object.
func short(kind, name string) string {
	if kind == "ConfigMap" || kind == "Secret" {
		return hashed().ReplaceAllString(name, "")
	}
	return name
}

// isIn reports whether a scalar has what took the place of the value.
func (c *change) isIn(n manifest.Node, word string, isEncoded bool) bool {
	if !isScalar(n) {
		return false
	}
	switch value := c.value(word).(type) {
	case int:
		return n.Text() == strconv.Itoa(value) || n.Raw() == strconv.Itoa(value)
	case bool:
		return n.Type() == manifest.Boolean && n.Boolean() == value
	}
	text := n.Text()
	if isEncoded {
		decoded, _ := base64.StdEncoding.DecodeString(text)
		text = string(decoded)
	}
	return strings.Contains(text, word)
}

// followExactly is like follow, but items are found by their index.
func followExactly(n manifest.Node, steps []step) (manifest.Node, bool) {
	for _, s := range steps {
		ok := false
		if s.isItem() {
			if n.Type() == manifest.List {
				n, ok = n.Item(s.index)
			}
		} else {
			n, ok = followField(n, s.key)
		}
		if !ok {
			return n, false
		}
	}
	return n, true
}

// try builds the kustomization with a changed value, and returns the objects, and the word that took the place of the
// value. There are none if that is not possible.
func (b *Built) try(s *supplier) ([]object, string) {
	if s.change == nil {
		return nil, ""
	}
	r, t := b.repository, b.trials
	r.trying.Lock()
	defer r.trying.Unlock()
	word, key := r.trialWord(), valueKey{s.node.Tree().Source, s.node.Span()}
	if known, ok := t.known[key]; ok {
		return known, word
	}
	if b.isCanceled() {
		return nil, word
	}
	if t.left--; t.left < 0 {
		return nil, word
	}
	objects, err := r.buildChanged(b.root, s.change, word)
	if err != nil {
		objects = nil
	}
	size := 0
	for i := range objects {
		size += len(objects[i].text)
	}
	if t.kept+size <= mostKept {
		t.kept += size
		t.known[key] = objects
	}
	return slices.Clip(objects), word
}

// buildChanged builds a layer with a changed value.
func (r *Repository) buildChanged(l *layer, c *change, word string) ([]object, error) {
	f, err := r.filesOf(l, l.annotations() < dearAnnotations)
	if err != nil {
		return nil, err
	}
	if !c.apply(f, word) {
		return nil, errReadOnly
	}
	return f.build(l)
}
