package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/schema"
)

// specified is a line of fields.tsv. The comment at the top of that file explains the columns.
type specified struct {
	object, path, typ         string
	constraints, rules, words []string
}

func readSpecified(t *testing.T) map[string]specified {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "specification", "fields.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	list := func(cell string) []string {
		if cell == "" {
			return nil
		}
		return strings.Split(cell, " | ")
	}
	rows := map[string]specified{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(cells) != 6 {
			t.Fatalf("%d cells, want 6: %s", len(cells), line)
		}
		rows[cells[0]+" "+cells[1]] = specified{cells[0], cells[1], cells[2], list(cells[3]), list(cells[4]), list(cells[5])}
	}
	return rows
}

// page is what explain prints about a field, in parts.
type page struct {
	typ      string
	sections map[string][]string
}

func pageOf(t *testing.T, name, version string) page {
	t.Helper()
	kind, _, _ := strings.Cut(name, ".")
	for _, e := range catalog.BuiltInKinds() {
		if kind == e.Name && version != "" { // a kind of Kubernetes may have the same name
			version = e.Group + "/" + version
		}
	}
	f, _, err := findField(catalog.Embedded(), name, version)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := explainField(&b, f); err != nil {
		t.Fatal(err)
	}
	p := page{sections: map[string][]string{}}
	title := ""
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if typ, ok := strings.CutPrefix(line, "type      "); ok {
			p.typ = typ
		}
		if text, ok := strings.CutPrefix(line, "      "); ok && title != "Fields" { // the item before goes on
			lines := p.sections[title]
			lines[len(lines)-1] += " " + text
			continue
		}
		if text, ok := strings.CutPrefix(line, "  "); ok {
			p.sections[title] = append(p.sections[title], text)
		} else {
			title = line
		}
	}
	return p
}

// For each field, explain prints what the specification states about it. Everything else is marked as an addition of
// kindvet.
func TestExplainStatesWhatTheSpecificationStates(t *testing.T) {
	rows := readSpecified(t)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		kind, version, _ := strings.Cut(r.object, " ")
		p := pageOf(t, strings.TrimSuffix(kind+"."+strings.ReplaceAll(r.path, "{}", ".key"), "."), version)
		if p.typ != r.typ {
			t.Errorf("%s %s: the type is %q, want %q", r.object, r.path, p.typ, r.typ)
		}
		if have := specifiedLines(p, "Constraints"); !slices.Equal(have, r.constraints) {
			t.Errorf("%s %s: constraints are %q, want %q", r.object, r.path, have, r.constraints)
		}
		r.checkRules(t, specifiedLines(p, "Rules"))
		r.checkWords(t, strings.Join(p.sections["Description"], " "))
		if item, ok := rows[r.object+" "+r.path+"[]"]; ok {
			for _, c := range slices.Concat(item.constraints, item.rules) {
				if !slices.ContainsFunc(p.sections["Each item"], func(line string) bool { return strings.HasPrefix(line, c) }) {
					t.Errorf("%s %s: the page does not say of items %q, but %q", r.object, r.path, c, p.sections["Each item"])
				}
			}
		}
	}
	t.Logf("%d fields and items compared", len(rows))
}

func specifiedLines(p page, section string) []string {
	lines := p.sections[section]
	if len(lines) == 1 && lines[0] == notSpecified {
		return nil
	}
	return lines
}

func (r specified) checkRules(t *testing.T, have []string) {
	t.Helper()
	if len(have) != len(r.rules) {
		t.Errorf("%s %s: rules are %q, want %q", r.object, r.path, have, r.rules)
		return
	}
	for i, want := range r.rules {
		if !strings.HasPrefix(have[i], want) {
			t.Errorf("%s %s: a rule is %q, want %q", r.object, r.path, have[i], want)
		}
	}
}

func (r specified) checkWords(t *testing.T, description string) {
	t.Helper()
	for _, word := range r.words {
		if !strings.Contains(strings.ToLower(description), strings.ToLower(word)) {
			t.Errorf("%s %s: the description lacks %q: %s", r.object, r.path, word, description)
		}
	}
}

// fields.tsv has a line for each field of each kind, so no kind has a field that the specification does not list.
func TestFieldsAreThoseOfTheSpecification(t *testing.T) {
	rows := readSpecified(t)
	for _, e := range catalog.BuiltInKinds() {
		if e.Group == "apiextensions.k8s.io" || e.Group == "kustomize.config.k8s.io" {
			continue
		}
		for _, version := range e.Versions {
			k, _ := e.Kind(version)
			eachField(k.Schema, "", func(path string) {
				if _, ok := rows[e.Name+" "+version+" "+path]; !ok {
					t.Errorf("fields.tsv has no line of %s %s %s", e.Name, version, path)
				}
			})
			if p := pageOf(t, e.ListName, version); p.typ != "object" ||
				!slices.Contains(p.sections["Fields"], "items  <[]object> -required-  The objects of the list") {
				t.Errorf("the page of %s has no items: %q", e.ListName, p.sections)
			}
		}
	}
}

// eachField calls visit with the path of each field and item of a schema.
func eachField(s *schema.Schema, path string, visit func(string)) {
	visit(path)
	for _, p := range s.Properties {
		eachField(p.Schema, strings.TrimPrefix(path+"."+p.Name, "."), visit)
	}
	if s.Items != nil {
		eachField(s.Items, path+"[]", visit)
	}
	if s.Additional != nil {
		eachField(s.Additional, path+"{}", visit)
	}
}

// Each page of explain that the page about limits names exists.
func TestLimitsNamePagesThatExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`explain ([^`]+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 20 {
		t.Errorf("docs/limits.md names %d pages", len(named))
	}
	for _, m := range named {
		name := strings.Replace(m[1], "KIND", "Browser", 1)
		if _, ok, err := findField(catalog.Embedded(), name, ""); !ok || err != nil {
			t.Errorf("docs/limits.md: explain %s: %v", name, err)
		}
	}
}
