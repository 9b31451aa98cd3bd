package catalog

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Stored describes where the CRD of a kind is a copy from. The zero value is for other CRDs.
type Stored struct {
	Copy
	// CRD is the start of the copy.
	CRD source.Place
}

// Copy is the source of a copy of CRDs.
type Copy struct {
	// Name is the name of the source, and Source is it with its version.
	Name, Source string
	// IsNewest reports whether nobody has chosen the version.
	IsNewest bool
}

// ReadStored is like [ReadCRDs], for a file with copies of CRDs. Their metadata, which may be a template of the source,
// do not matter. A CRD among the checked files takes precedence over them.
func ReadStored(src *source.Source, from Copy) (kinds Source, violations []diag.Violation) {
	kinds, _, violations = ReadCRDs(src)
	isOfMetadata := func(v diag.Violation) bool { return len(v.Path) > 0 && v.Path[0].Name == "metadata" }
	violations = slices.DeleteFunc(violations, isOfMetadata)
	for _, e := range kinds {
		e.stored = &from
		place, load, format := e.place(), e.load, e.names
		e.load = sync.OnceValue(func() loaded {
			l := load()
			l.violations = slices.DeleteFunc(slices.Clone(l.violations), isOfMetadata)
			for _, k := range l.kinds {
				k.Stored = Stored{from, place}
				k.Resource.Name = format
			}
			return l
		})
	}
	return kinds, violations
}

// replacedCopy is a copy of a CRD that a CRD among the checked files replaces.
type replacedCopy struct{ copy, by *Entry }

// maxCopies is the maximum number of copies that are compared with the CRDs that replace them. Each comparison parses
// both. Each of 29 public repositories has CRDs of at most 98 names.
const maxCopies = 200

// Stale returns a warning for each copy of a CRD that the layer replaces and that differs in the schema.
func (l *Layer) Stale() (stale []diag.Violation) {
	if l == nil {
		return nil
	}
	for i, c := range l.copies {
		if i == maxCopies {
			break
		}
		if reflect.DeepEqual(c.copy.definition(), c.by.definition()) {
			continue
		}
		stale = append(stale, diag.Violation{
			Rule: diag.StaleSchema, Severity: diag.Warning, Place: c.by.place(),
			Message: "the copy of this CRD differs, and is not used",
			Help:    "remove the copy: kindvet schemas remove " + c.copy.stored.Name,
			Related: []diag.Related{{Place: c.copy.place(), Message: "the copy"}},
		})
	}
	return stale
}

// definition returns what the CRD of an entry says about documents, without descriptions.
func (e *Entry) definition() any {
	src := &source.Source{Name: e.src.Name, Text: e.src.Text} // a source must not be used by several goroutines
	for part := range manifest.Parts(src) {
		if part.Span.Start != e.start {
			continue
		}
		tree := &manifest.Tree{}
		tree.Read(src, part)
		for n := range CRDs(tree.Root()) {
			spec := n.At("spec")
			if spec.TextAt("group") != e.Group || spec.At("names").TextAt("kind") != e.Name {
				continue
			}
			versions := []any{spec.TextAt("scope")}
			for v := range spec.At("versions").Children() {
				versions = append(versions, v.TextAt("name"), isServed(v), decoded(v.At("schema")))
			}
			return versions
		}
	}
	return nil
}

// decoded returns a value without the descriptions in it.
func decoded(n manifest.Node) any {
	if !n.Valid() {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(n.AppendJSON(nil)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return undescribed(value)
}

func undescribed(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if _, isText := v["description"].(string); isText { // otherwise it is a field with that name
			delete(v, "description")
		}
		for _, below := range v {
			undescribed(below)
		}
	case []any:
		for _, below := range v {
			undescribed(below)
		}
	}
	return value
}
