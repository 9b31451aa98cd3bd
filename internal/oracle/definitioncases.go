package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// DefinitionCases creates a case from each line of the .edits files under testdata/definitions. The line changes
// the definition of the same name; the result may be valid or not. A valid one is also a case of an update, and an
// invalid one that of an installed definition that does not change, if the server accepts that. Every third line is
// JSON.
func DefinitionCases(root string) ([]parity.Case, error) {
	files, err := filepath.Glob(filepath.Join(root, "internal", "oracle", "testdata", "definitions", "*.edits"))
	if err != nil {
		return nil, err
	}
	var cases []parity.Case
	lines := 0
	for _, file := range files {
		base, err := parseFile(strings.TrimSuffix(file, ".edits") + ".yaml")
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			object, err := edit(base, line)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, line, err)
			}
			isJSON := lines%3 == 0
			lines++
			r := parity.Request{New: render(object, isJSON), JSON: isJSON}
			c := parity.Case{Name: line, Request: r, Verdict: DefinitionVerdict(r)}
			cases = append(cases, c)
			if c.Verdict.Accepted && at(object, nameOf) == at(base, nameOf) {
				r.Old = render(base, isJSON)
				cases = append(cases, parity.Case{Name: line + ", by an update", Request: r, Verdict: DefinitionVerdict(r)})
			}
			if c.Verdict.Stage == "validation" && !strings.HasPrefix(line, "metadata.name") { // names do not change
				r.Old, r.Live = r.New, true
				if v := DefinitionVerdict(r); v.Accepted {
					cases = append(cases, parity.Case{Name: line + ", as before", Request: r, Verdict: v})
				}
			}
		}
	}
	return cases, nil
}

var nameOf = []step{{"metadata", -1}, {"name", -1}}

func parseFile(file string) (any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

// shortcuts are abbreviations for the first steps of paths in .edits files.
var shortcuts = map[string]string{
	"V": "spec.versions[0]", "S": "spec.versions[0].schema.openAPIV3Schema",
	"P": "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties",
	"R": "spec.versions[0].schema.openAPIV3Schema.properties.spec.x-kubernetes-validations",
	"W": "spec.versions[1]", "T": "spec.versions[1].schema.openAPIV3Schema", "C": "spec.conversion.webhook.clientConfig",
}

// edit applies the edits of a line.
func edit(object any, line string) (any, error) {
	for one := range strings.SplitSeq(line, " ;; ") {
		path, value, isSet := strings.Cut(one, " = ")
		if !isSet {
			object = with(object, pathOf(strings.TrimSuffix(path, " -")), nil, true)
			continue
		}
		d := json.NewDecoder(strings.NewReader(value))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		object = with(object, pathOf(path), v, false)
	}
	return object, nil
}

var stepOf = regexp.MustCompile(`[^.\[\]]+`)

func pathOf(text string) []step {
	first, rest, _ := strings.Cut(text, ".")
	if long, ok := shortcuts[first]; ok {
		text = strings.TrimSuffix(long+"."+rest, ".")
	}
	var path []step
	for _, name := range stepOf.FindAllString(text, -1) {
		s := step{name, -1}
		if i, err := strconv.Atoi(name); err == nil {
			s = step{"", i}
		}
		path = append(path, s)
	}
	return path
}

// Files of definitions to mutate, relative to the root of the project.
var definitionFiles = []string{
	"rules/kinds/*/*.yaml", "internal/oracle/testdata/schemas/*.yaml", "internal/oracle/testdata/definitions/*.yaml",
}

// DefinitionMutator generates definitions: valid ones with a few random changes, mostly in their schemas.
type DefinitionMutator struct {
	Mutator
	bases []any
	edits []string // right sides of .edits files, by the name of the member that they set
}

// NewDefinitionMutator returns a mutator of all definitions of the project. The same seed generates the same
// definitions.
func NewDefinitionMutator(root string, seed uint64) (*DefinitionMutator, error) {
	m := &DefinitionMutator{Mutator: Mutator{rand: rand.New(rand.NewPCG(seed, 2))}}
	for _, pattern := range definitionFiles {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			base, err := parseFile(file)
			if err != nil {
				return nil, err
			}
			m.bases = append(m.bases, base)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "internal", "oracle", "testdata", "definitions", "laboratory.edits"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		for one := range strings.SplitSeq(strings.TrimSpace(line), " ;; ") {
			if path, _, ok := strings.Cut(one, " = "); ok && strings.ContainsAny(path[:1], "SPR") &&
				strings.Contains(path, ".") {
				m.edits = append(m.edits, one)
			}
		}
	}
	return m, nil
}

// Next generates a definition, created or as an update of the valid one.
func (m *DefinitionMutator) Next() parity.Request {
	base := m.bases[m.rand.IntN(len(m.bases))]
	object := base
	for range 1 + m.rand.IntN(3) {
		if m.rand.IntN(4) == 0 {
			object = m.change(object, m.bases)
			for _, name := range []string{"apiVersion", "kind"} { // the server would know these from the URL
				object = with(object, []step{{name, -1}}, at(m.bases[0], []step{{name, -1}}), false)
			}
			continue
		}
		object = m.member(object)
	}
	r := parity.Request{JSON: m.rand.IntN(2) == 0}
	r.New = render(object, r.JSON)
	if m.rand.IntN(2) == 0 && isPlain(object) && at(object, nameOf) == at(base, nameOf) {
		r.Old = render(base, r.JSON)
	}
	return r
}

// member changes a random schema of a definition: it adds a field that is broken in some other definition, removes
// a field, or copies one from another place.
func (m *DefinitionMutator) member(object any) any {
	schemas := schemasOf(nil, at(object, []step{{"spec", -1}, {"versions", -1}}), nil)
	if len(schemas) == 0 {
		return object
	}
	path := schemas[m.rand.IntN(len(schemas))]
	base := []step{{"spec", -1}, {"versions", -1}}
	path = append(base, path...)
	switch m.rand.IntN(5) {
	case 0:
		if s, ok := at(object, path).(map[string]any); ok && len(s) > 0 {
			keys := keysOf(s)
			return with(object, append(path, step{keys[m.rand.IntN(len(keys))], -1}), nil, true)
		}
	case 1:
		other := schemas[m.rand.IntN(len(schemas))]
		if s, ok := at(object, append(base[:2:2], other...)).(map[string]any); ok && len(s) > 0 {
			keys := keysOf(s)
			key := keys[m.rand.IntN(len(keys))]
			return with(object, append(path, step{key, -1}), clone(s[key]), false)
		}
	}
	one := m.edits[m.rand.IntN(len(m.edits))]
	left, right, _ := strings.Cut(one, " = ")
	changed, err := edit(map[string]any{}, left[strings.LastIndexByte(left, '.')+1:]+" = "+right)
	if err != nil {
		return object
	}
	for key, value := range changed.(map[string]any) {
		object = with(object, append(path, step{key, -1}), value, false)
	}
	return object
}

// schemasOf returns the paths of all schemas below a value.
func schemasOf(path []step, v any, found [][]step) [][]step {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range keysOf(v) {
			next := append(path[:len(path):len(path)], step{key, -1})
			switch key {
			case "openAPIV3Schema", "items", "additionalProperties", "not":
				found = append(found, next)
			case "properties":
				if fields, ok := v[key].(map[string]any); ok {
					for _, name := range keysOf(fields) {
						found = append(found, append(next[:len(next):len(next)], step{name, -1}))
					}
				}
			}
			found = schemasOf(next, v[key], found)
		}
	case []any:
		for i, item := range v {
			found = schemasOf(append(path[:len(path):len(path)], step{"", i}), item, found)
		}
	}
	return found
}
