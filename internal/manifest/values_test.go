package manifest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// truth returns what the API server's readers make of a YAML document: its value, whether they reject it, and whether
// the strict reader reports a duplicate key.
func truth(text string) (value any, rejected, twice bool) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, strict := yaml.YAMLToJSONStrict([]byte(text))
	j, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, true, false
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(j, &value); err != nil {
		return nil, true, false
	}
	return value, false, strict != nil
}

// readAll reads the whole text as one YAML document.
func readAll(text string) (*Tree, []diag.Violation) {
	s := &source.Source{Name: "test.yaml", Text: text}
	t := &Tree{}
	return t, t.Read(s, Part{Span: source.Span{End: len(text)}, Index: 1, Format: YAML})
}

// values returns the inputs of testdata/syntax/values.txt.
func values(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "syntax", "values.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		input, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		inputs = append(inputs, input)
	}
	return inputs
}

func TestValuesAreThoseOfTheAPIServersReader(t *testing.T) {
	inputs := values(t)
	for _, input := range inputs {
		compareWithTruth(t, input)
		sameReading(t, input)
	}
	if len(inputs) < 150 {
		t.Errorf("only %d inputs", len(inputs))
	}
}

func TestTheLastOfEqualKeysCounts(t *testing.T) {
	for _, text := range []string{
		"a: 1\nb: 2\na: 3\n", "{a: 1, b: 2, 'a': 3}", `{"a": 1, "b": 2, "a": 3}`, "? a\n: 1\nb: 2\n\"a\": 3\n",
	} {
		tree, violations := readAll(text)
		if have := string(tree.Root().AppendJSON(nil)); have != `{"b":2,"a":3}` {
			t.Errorf("%q: have %s", text, have)
		}
		if len(violations) != 1 || violations[0].Rule != diag.DuplicateKey || len(violations[0].Related) != 1 {
			t.Errorf("%q: %+v", text, violations)
		}
	}
}

func compareWithTruth(t *testing.T, input string) {
	t.Helper()
	if strings.HasPrefix(input, "\xff\xfe") || strings.HasPrefix(input, "\xfe\xff") {
		return // UTF-16 is rejected, as by kubectl
	}
	want, rejected, twice := truth(input)
	tree, violations := readAll(input)
	checkPlaces(t, tree, input)
	root := tree.Root()
	if rejected {
		if len(violations) == 0 || root.Valid() && violations[0].Message != infiniteMessage {
			t.Errorf("%q: have %s, want an error", input, root.AppendJSON(nil))
		}
		return
	}
	if !root.Valid() {
		if want != nil {
			t.Errorf("%q: rejected (%v), want %v", input, violations, want)
		}
		return
	}
	switch have := jsonOf(t, value(root)); {
	case len(violations) > 0 && !twice: // 1 and "1": TestKeysThatBecomeOneAreAccepted
		for i := range violations {
			if !IsAmbiguousKey(&violations[i]) {
				t.Errorf("%q: %s, want no error", input, violations[i].Message)
			}
		}
	case len(violations) > 0: // TestTheLastOfEqualKeysCounts
	case have != jsonOf(t, want):
		t.Errorf("%q: have %s, want %s", input, have, jsonOf(t, want))
	case len(violations) == 0 && twice:
		t.Errorf("%q: no duplicate key is reported", input)
	}
}

// value returns the value of a node in the types that sigs.k8s.io/json decodes to.
func value(n Node) any {
	switch n.Type() {
	case Boolean:
		return n.Boolean()
	case Integer:
		return n.Integer()
	case Float:
		return n.Float()
	case String:
		return n.Text()
	case List:
		list := []any{}
		for c := range n.Children() {
			list = append(list, value(c))
		}
		return list
	case Map:
		m := map[string]any{}
		for c := range n.Children() {
			if !c.Shadowed() {
				m[c.Key()] = value(c)
			}
		}
		return m
	}
	return nil
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(tagFloats(v)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tagFloats distinguishes a float from an integer of the same value.
func tagFloats(v any) any {
	switch v := v.(type) {
	case float64:
		return map[string]string{"float": strconv.FormatFloat(v, 'g', -1, 64)}
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, tagFloats(x))
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for k, x := range v {
			m[k] = tagFloats(x)
		}
		return m
	}
	return v
}

// checkPlaces checks that every node lies within the text, and that fields and items follow each other.
func checkPlaces(t *testing.T, tree *Tree, input string) {
	t.Helper()
	for i := range tree.nodes {
		n := Node{tree, int32(i)}
		for _, sp := range []source.Span{n.Span(), n.KeySpan(), n.HeadSpan()} {
			if sp.Start < 0 || sp.Start > sp.End || sp.End > len(input) {
				t.Errorf("%q: a node of type %s has the span %v", input, n.Type(), sp)
			}
		}
	}
}
