package names

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/source"
)

// Definition is a CRD that comes with kindvet, and the names of its kind.
type Definition struct {
	Group, Kind, ListKind, Plural string
	// Tree is the CRD, which Rewrite edits.
	Tree *manifest.Tree
}

// Renaming is the effect of a vocabulary on some definitions. It may be used from several goroutines, as long as only
// one goroutine rewrites each definition.
type Renaming struct {
	vocabulary  Vocabulary
	definitions []*Definition
	// fields are the new names of fields, by the schema node in the file.
	fields map[manifest.Node]string
	// builtIn are the old names of those fields.
	builtIn map[manifest.Node]string
	// words are the names that texts for people may mention, and their replacements.
	words      map[string]string
	closed     []closing
	violations []diag.Violation
}

// New determines the effect of a vocabulary on definitions. Messages follow the order of the definitions. If a name is
// not possible, New returns violations and no renaming.
func New(v Vocabulary, definitions []*Definition) (*Renaming, []diag.Violation) {
	m := &Renaming{
		vocabulary: v, definitions: definitions,
		fields: map[manifest.Node]string{}, builtIn: map[manifest.Node]string{}, words: map[string]string{},
	}
	m.findGroups()
	m.findKinds()
	m.findFields()
	m.findWords()
	if len(m.violations) == 0 {
		m.findClashes()
	}
	if len(m.violations) > 0 {
		return nil, m.violations
	}
	return m, nil
}

// closing closes the set of words of a schema.
type closing struct {
	schema manifest.Node
	words  []source.Word
}

func (m *Renaming) reject(w source.Word, help, format string, args ...any) {
	m.violations = append(m.violations, diag.Violation{
		Rule: diag.BadSetting, Severity: diag.Error, Message: fmt.Sprintf(format, args...), Help: help, Place: w.Place,
	})
}

// unknown reports a name that does not exist, and suggests the nearest one that does.
func (m *Renaming) unknown(w source.Word, name string, known []string, format string, args ...any) {
	help := "known: " + strings.Join(known, ", ")
	if len(known) > 20 || len(known) == 0 {
		help = ""
	}
	if near, ok := nearest.Name(name, known); ok {
		help = "use " + near
	}
	m.reject(w, help, format, args...)
}

func (m *Renaming) findGroups() {
	var groups []string
	for _, e := range m.definitions {
		groups = append(groups, e.Group)
	}
	groups = slices.Compact(groups)
	for _, g := range m.vocabulary.Groups {
		if !slices.Contains(groups, g.From.Text) {
			m.unknown(g.From, g.From.Text, groups, "no built-in kind is in API group %q", g.From.Text)
		}
		m.words[g.From.Text] = g.To.Text
	}
}

func (m *Renaming) findKinds() {
	for _, k := range m.vocabulary.Kinds {
		if _, ok := m.definition(k.From.Text); !ok {
			m.unknown(k.From, k.From.Text, m.kindNames(), "unknown built-in kind %q", k.From.Text)
			continue
		}
		m.words[k.From.Text], m.words[k.From.Text+"List"] = k.To.Text, k.To.Text+"List"
	}
}

func (m *Renaming) definition(kind string) (*Definition, bool) {
	i := slices.IndexFunc(m.definitions, func(d *Definition) bool { return d.Kind == kind })
	if i < 0 {
		return nil, false
	}
	return m.definitions[i], true
}

func (m *Renaming) kindNames() []string {
	var names []string
	for _, e := range m.definitions {
		names = append(names, e.Kind)
	}
	return names
}

// findFields finds the schemas of the fields that have new names. A path takes precedence over a bare name.
func (m *Renaming) findFields() {
	isPath := func(r Rename) bool { return strings.Contains(r.From.Text, ".") }
	for _, r := range m.vocabulary.Fields {
		if !isPath(r) {
			m.renameFields(r, m.everywhere(r.From))
		}
	}
	for _, r := range m.vocabulary.Fields {
		if isPath(r) {
			m.renameFields(r, m.place(r.From))
		}
	}
}

func (m *Renaming) renameFields(r Rename, schemas []manifest.Node) {
	for _, s := range schemas {
		m.builtIn[s] = s.Key()
		m.fields[s] = r.To.Text
	}
	if name := r.From.Text[strings.LastIndexByte(r.From.Text, '.')+1:]; isNoWord(name) {
		m.words[name] = r.To.Text
	}
}

// isNoWord reports whether a name can occur in a sentence only as a name, such as objectStore and join_method, but not
// location.
func isNoWord(name string) bool {
	return strings.ToLower(name) != name || strings.ContainsAny(name, "_-.0123456789")
}

// everywhere finds all fields with a name.
func (m *Renaming) everywhere(w source.Word) []manifest.Node {
	var found []manifest.Node
	var names []string
	for _, e := range m.definitions {
		for s := range e.schemas() {
			eachField(s, true, func(field manifest.Node) {
				names = append(names, field.Key())
				if field.Key() == w.Text {
					found = append(found, field)
				}
			})
		}
	}
	if len(found) == 0 {
		slices.Sort(names)
		m.unknown(w, w.Text, slices.Compact(names), "no built-in kind has a field %q", w.Text)
	}
	return found
}

// schemas yields the schemas of all versions of a definition.
func (d *Definition) schemas() iter.Seq[manifest.Node] {
	return func(yield func(manifest.Node) bool) {
		for version := range d.Tree.Root().At("spec", "versions").Children() {
			if s := version.At("schema", "openAPIV3Schema"); s.Valid() && !yield(s) {
				return
			}
		}
	}
}

// eachField visits the schemas of the fields of a schema and of those below it. It skips apiVersion, kind and metadata
// of a resource, which belong to Kubernetes.
func eachField(s manifest.Node, root bool, visit func(manifest.Node)) {
	for p := range declaredFields(s) {
		if !root || !isEnvelope(p.Key()) {
			visit(p)
			eachField(p, false, visit)
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below, ok := s.Field(name); ok && below.Type() == manifest.Map {
			eachField(below, false, visit)
		}
	}
}

func isEnvelope(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

// declaredFields yields the schemas of the declared fields of an object.
func declaredFields(s manifest.Node) iter.Seq[manifest.Node] {
	return func(yield func(manifest.Node) bool) {
		properties, ok := s.Field("properties")
		if !ok {
			return
		}
		for p := range properties.Children() {
			if !yield(p) {
				return
			}
		}
	}
}

// place finds the schemas that a path such as Browser.spec.recording names, one for each version that has the field.
func (m *Renaming) place(w source.Word) []manifest.Node {
	kind, path, _ := strings.Cut(w.Text, ".")
	e, ok := m.definition(kind)
	if !ok {
		m.unknown(w, kind, m.kindNames(), "a path must start with a built-in kind, got %q", kind)
		return nil
	}
	var found []manifest.Node
	var missing string
	var known []string
	for s := range e.schemas() {
		field, missed, names := follow(s, path)
		if missed == "" {
			found = append(found, field)
		} else if missing == "" || len(names) > 0 {
			missing, known = missed, names
		}
	}
	switch {
	case len(found) > 0:
		return found
	case len(known) == 0:
		m.reject(w, "", "%s: %q is not below an object with known fields", w.Text, missing)
	default:
		m.unknown(w, missing, known, "%s: unknown field %q", w.Text, missing)
	}
	return nil
}

// follow goes from a schema to that of a field. If the field does not exist, it returns the missing name and the names
// that do exist.
func follow(s manifest.Node, path string) (found manifest.Node, missing string, known []string) {
	root := true
	for name := range strings.SplitSeq(path, ".") {
		s = contents(s)
		next, ok := s.At("properties"), false
		if next.Valid() && !(root && isEnvelope(name)) {
			next, ok = next.Field(name)
		}
		if !ok {
			for p := range declaredFields(s) {
				if !root || !isEnvelope(p.Key()) {
					known = append(known, p.Key())
				}
			}
			return manifest.Node{}, name, known
		}
		s, root = next, false
	}
	return s, "", nil
}

// contents returns the schema of the items of a list or of the values of a map, at any depth. It returns any other
// schema unchanged.
func contents(s manifest.Node) manifest.Node {
	for {
		below := s.At("items")
		if !below.Valid() {
			below = s.At("additionalProperties")
		}
		if !below.Valid() || below.Type() != manifest.Map {
			return s
		}
		s = below
	}
}

// findWords finds the sets of words to close.
func (m *Renaming) findWords() {
	for _, w := range m.vocabulary.Words {
		for _, s := range m.place(w.Path) {
			if !isOpen(s) {
				m.reject(w.Path, "", "%s is not an open field: its schema already restricts it", w.Path.Text)
				break
			}
			m.closed = append(m.closed, closing{s, w.Words})
		}
	}
}

const preserveUnknown = "x-kubernetes-preserve-unknown-fields"

// isOpen reports whether a schema allows any word: as a string without further restrictions, or as an undeclared
// field.
func isOpen(s manifest.Node) bool {
	if open := s.At(preserveUnknown); open.Valid() {
		return open.Boolean() && s.TextAt("type") == "object"
	}
	return s.TextAt("type") == "string" && !s.At("enum").Valid() && !s.At("pattern").Valid() && !s.At("format").Valid()
}

// findClashes finds names that would be given twice.
func (m *Renaming) findClashes() {
	type groupKind struct{ group, kind string }
	seen := map[groupKind]string{}
	for _, e := range m.definitions {
		renamed := groupKind{m.group(e.Group), m.kind(e.Kind)}
		if other, ok := seen[renamed]; ok {
			m.reject(m.nameOf(e.Kind), "", "%s and %s would both be named %s in API group %s", other, e.Kind, renamed.kind,
				renamed.group)
		}
		seen[renamed] = e.Kind
		for s := range e.schemas() {
			m.findClash(s, e.Kind)
		}
	}
}

// findClash finds fields of one object that would get the same name, in a schema and below it.
func (m *Renaming) findClash(s manifest.Node, path string) {
	seen := map[string]bool{}
	for p := range declaredFields(s) {
		name := p.Key()
		if to, ok := m.fields[p]; ok {
			name = to
		}
		if seen[name] {
			m.reject(m.wordFor(name), "", "%s would have two fields %q", path, name)
		}
		seen[name] = true
		m.findClash(p, path+"."+p.Key())
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below := s.At(name); below.Valid() && below.Type() == manifest.Map {
			m.findClash(below, path)
		}
	}
}

// nameOf returns the new name of a kind, or that of its group, as the user wrote it.
func (m *Renaming) nameOf(kind string) source.Word {
	for _, k := range slices.Concat(m.vocabulary.Kinds, m.vocabulary.Groups) {
		if e, ok := m.definition(kind); ok && (k.From.Text == kind || k.From.Text == e.Group) {
			return k.To
		}
	}
	return source.Word{}
}

// wordFor returns the new name of a field as the user wrote it.
func (m *Renaming) wordFor(name string) source.Word {
	for _, r := range m.vocabulary.Fields {
		if r.To.Text == name {
			return r.To
		}
	}
	return source.Word{}
}

func (m *Renaming) group(group string) string { return renamed(m.vocabulary.Groups, group) }
func (m *Renaming) kind(kind string) string   { return renamed(m.vocabulary.Kinds, kind) }

func renamed(list []Rename, name string) string {
	for _, r := range list {
		if r.From.Text == name {
			return r.To.Text
		}
	}
	return name
}
