package rule

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

var update = flag.Bool("update", false, "write the index of lint rules and their checked expressions anew")

func TestIndexSaysWhatTheFilesSay(t *testing.T) {
	var index strings.Builder
	columns := columns()
	index.WriteString(header(columns) + "\n")
	for _, r := range rulesOfFiles(t) {
		index.WriteString(r.line(columns) + "\n")
	}
	isWritten(t, indexFile, index.String())
}

func TestPrecompiledExpressionsAreThoseOfTheFiles(t *testing.T) {
	var checked strings.Builder
	checked.WriteString(closure.Version + "\n")
	for _, r := range rulesOfFiles(t) {
		if fixes := r.fixExpressions(); r.check != nil || r.message != nil || len(fixes) > 0 {
			checked.WriteString(string(r.ID) + "\t" + encode(t, r.ID, r.check) + "\t" + encode(t, r.ID, r.message))
			for _, e := range fixes {
				checked.WriteString("\t" + encode(t, r.ID, e))
			}
			checked.WriteString("\n")
		}
	}
	isWritten(t, precompiledFile, checked.String())
}

// encode returns the encoded form of an expression, or "" if there is none.
func encode(t *testing.T, of diag.Rule, e *expression) string {
	t.Helper()
	if e == nil {
		return ""
	}
	checked, faults := cel.Check(e.text, e.signature)
	if len(faults) > 0 {
		t.Fatalf("%s: %s", of, faults[0].Message)
	}
	flat, err := checked.Encode()
	if err != nil {
		t.Errorf("%s: %v", of, err)
	}
	return flat
}

// isWritten checks that an embedded file has the wanted content. With -update, it writes the file.
func isWritten(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "..", "rules", name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := fs.ReadFile(rules.Lint, name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("rules/%s is out of date; run 'go generate ./rules'", name)
	}
}

// rulesOfFiles parses the embedded rules from their files.
func rulesOfFiles(t *testing.T) (list []*Rule) {
	t.Helper()
	files, err := fs.Glob(rules.Lint, "lint/*/*/rule.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lint rules are embedded: %v", err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(rules.Lint, name)
		if err != nil {
			t.Fatal(err)
		}
		r, violations := Parse(&source.Source{Name: name, Text: string(text)})
		for _, v := range violations {
			t.Errorf("rules/%s:%d:%d: %s", name, v.Place.Start().Line, v.Place.Start().Column, v.Message)
		}
		if r == nil {
			continue
		}
		if want := "lint/" + string(r.ID) + "/rule.yaml"; name != want {
			t.Errorf("rules/%s: should be %s", name, want)
		}
		list = append(list, r)
	}
	return list
}

func TestEveryRuleHasHelpAReasonAndTags(t *testing.T) {
	if *update {
		t.Skip("the index and the checks are being written")
	}
	for _, h := range embedded() {
		r := loadEmbedded(h.ID)
		if r.Help == "" || r.Why == "" || len(r.Tags) == 0 {
			t.Errorf("%s lacks help, why or tags", r.ID)
		}
		if r.Origin != "" && !strings.HasPrefix(r.Origin, "https://") {
			t.Errorf("%s: source must be a public link or absent; got %q", r.ID, r.Origin)
		}
		if words := strings.Fields(r.Title); len(words) < 2 || len(words) > 6 || slices.Contains(words, "that") ||
			slices.Contains(words, "whose") {
			t.Errorf("%s: the title must have 2 to 6 words without that and whose; got %q", r.ID, r.Title)
		}
		if n := utf8.RuneCountInString(r.Message); n >= 100 {
			t.Errorf("%s: the message must be shorter than 100 characters; got %d", r.ID, n)
		}
		if strings.HasSuffix(r.Message, ".") || strings.HasSuffix(r.Title, ".") || strings.HasSuffix(r.Help, ".") {
			t.Errorf("%s: title, message and help end without a full stop", r.ID)
		}
	}
}

// Every field of a head has a column, and lines are read as they are written.
func TestHeadsAreReadAsTheyAreWritten(t *testing.T) {
	full := Head{
		ID: "a/b", Title: "t", Severity: diag.Warning, Tags: []string{"a", "b"}, Kinds: []string{"A", "!B"}, Type: "T",
		NotRecommended: true, NeedsParams: true, Each: []string{"a[].b", "**"}, Contains: []string{"a,b\t", "\u200b"},
		Written: Written{Types: []string{"string"}, Style: "plain", Raw: "^a\t$", Key: "é"}, Lacks: []string{"c"}, Items: 2,
		Unique: "self", Key: []string{"name"}, Keep: []string{"d"}, Misspelled: true, Selector: "spec",
		Target: Target{
			Kinds: []string{"C"}, Type: "U", Each: []string{"e"}, Key: []string{"f"}, Labels: "g", Among: "run", Conflicts: true,
		},
	}
	columns, fields := columns(), 0
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Struct {
				visit(f)
			} else if fields++; f.IsZero() {
				t.Errorf("the field %s of the example has no value", v.Type().Field(i).Name)
			}
		}
	}
	if visit(reflect.ValueOf(full)); fields != len(columns) {
		t.Errorf("a head has %d fields, the index %d columns", fields, len(columns))
	}
	for _, want := range append(embedded(), full, Head{}) {
		var have Head
		if have.parse(want.line(columns), columns); !reflect.DeepEqual(have, want) {
			t.Errorf("have %+v\nwant %+v", have, want)
		}
	}
}

// No lint rule is an error for something that a server accepts, unless the run raises the severity. The exceptions are
// what the specification calls an error but no schema can express, and what Pod Security Admission rejects.
func TestNoRuleIsAnErrorByItself(t *testing.T) {
	for _, h := range embedded() {
		if h.Severity == diag.Error && h.ID != "policy/egress-port-range" && h.ID != "pod-security/invalid-label" {
			t.Errorf("%s is an error; only what the specification states as fact may be one", h.ID)
		}
	}
}
