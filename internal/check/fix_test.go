package check

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/names"
	"github.com/kindvet/kindvet/internal/source"
)

// apply returns a text after a fix.
func apply(text string, fix diag.Fix) string { return edit.Apply(text, fix.Bytes()).Text }

func TestEachSuggestionHasItsFix(t *testing.T) {
	const binding = "apiVersion: elbv2.platform.cloud/v1alpha1\nkind: TargetGroupBinding\nmetadata: {name: a}\nspec: "
	const server = "apiVersion: resources.vendor.dev/v1\nkind: VendorSSHServerV2\nmetadata: {name: a}\nspec: "
	const app = "apiVersion: resources.acme.example/v1\nkind: AcmeAppV3\nmetadata: {name: a}\nspec: "
	word := func(text string) source.Word { return source.Word{Text: text} }
	renamed, _ := catalog.Renamed(catalog.BuiltInKinds(), names.Vocabulary{
		Groups: []names.Rename{{From: word("resources.vendor.dev"), To: word("resources.acme.example")}},
		Kinds:  []names.Rename{{From: word("VendorAppV3"), To: word("AcmeAppV3")}},
		Fields: []names.Rename{{From: word("use_any_proxy_public_addr"), To: word("anyProxyAddress")}},
	})
	rules, err := lint.New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	engine := New(Options{Catalog: catalog.New(catalog.BuiltInKinds(), renamed), Rules: rules, UnknownKinds: Auto})
	for _, c := range []struct{ name, text, rule, want string }{
		{"nearest field", binding + "{targetTyp: ip}", "unknown-field", "{targetType: ip}"},
		{
			"field of an open object", strings.Replace(binding, "v1alpha1", "v1beta1", 1) + "{targetTyp: ip}",
			"object/misspelled-field", "{targetType: ip}",
		},
		{
			"field of metadata", "metadata: {nam: a}\napiVersion: elbv2.platform.cloud/v1beta1\nkind: TargetGroupBinding",
			"unknown-field", "metadata: {name: a}",
		},
		{"nearest value", binding + "{targetType: 'instanc'}", "not-in-enum", "{targetType: 'instance'}"},
		{"string", binding + "{targetGroupARN: 0755}", "wrong-type", `safe {targetGroupARN: "0755"}`},
		{"not one of the strings", binding + "{targetType: 1.10}", "wrong-type", ""},
		{
			"integer or string", binding + "{serviceRef: {name: a, port: true}}", "wrong-type",
			`safe {serviceRef: {name: a, port: "true"}}`,
		},
		{"boolean", server + "{use_tunnel: \"true\"}", "wrong-type", `safe {use_tunnel: true}`},
		{"field with a name of the platform", app + "{anyProxyAdress: true}", "unknown-field", "{anyProxyAddress: true}"},
		{"field in JSON",
			`{"apiVersion":"resources.vendor.dev/v1","kind":"VendorSSHServerV2","metadata":{"name":"a"},"spec":{"use_tunel":true}}`,
			"unknown-field",
			`{"apiVersion":"resources.vendor.dev/v1","kind":"VendorSSHServerV2","metadata":{"name":"a"},"spec":{"use_tunnel":true}}`},
		{"kind of a platform", "apiVersion: resources.acme.example/v1\nkind: AcmeApV3", "unknown-kind", "kind: AcmeAppV3"},
		{
			"label", strings.Replace(binding, "{name: a}", "{name: a, labels: {a: 1}}", 1) + "{}", "wrong-type",
			`safe metadata: {name: a, labels: {a: "1"}}`,
		},
		{
			"kind", "apiVersion: elbv2.platform.cloud/v1beta1\nkind: \"TargetGroupBindin\"", "unknown-kind",
			`kind: "TargetGroupBinding"`,
		},
		{
			"group", "apiVersion: elbv2.platfrm.cloud/v1beta1\nkind: TargetGroupBinding", "unknown-group",
			"apiVersion: elbv2.platform.cloud/v1beta1",
		},
		{
			"no version", "apiVersion: elbv2.platform.cloud\nkind: TargetGroupBinding", "unknown-version",
			"apiVersion: elbv2.platform.cloud/v1beta1",
		},
		{"nothing near", binding + "{zzz: ip}", "unknown-field", ""},
		{"null", binding + "{targetGroupARN: null}", "missing-field", ""},
	} {
		report, _ := engine.Texts([]*source.Source{{Name: "a.yaml", Text: c.text + "\n"}})
		i := slices.IndexFunc(report.Violations, func(v diag.Violation) bool { return string(v.Rule) == c.rule })
		if i < 0 {
			t.Errorf("%s: no finding of %s in %v", c.name, c.rule, report.Violations)
			continue
		}
		have := ""
		if fixes := report.Violations[i].Applicable(true); len(fixes) > 0 {
			have = changedLine(c.text, apply(c.text, fixes[0]))
			if fixes[0].Safe {
				have = "safe " + have
			}
		}
		if want := c.want; have != want && strings.Replace(have, "spec: ", "", 1) != want {
			t.Errorf("%s: have %q, want %q", c.name, have, want)
		}
	}
}

// changedLine returns the first line of after that differs from that line of before, or "" if there is none.
func changedLine(before, after string) string {
	old := strings.Split(before, "\n")
	for i, line := range strings.Split(after, "\n") {
		if i >= len(old) || line != old[i] {
			return line
		}
	}
	return ""
}

// A safe fix removes its finding and causes no other finding of the same rule. After every fix, the text can still be
// parsed.
func TestFixesOfTheExamplesDoWhatTheySay(t *testing.T) {
	rules, err := lint.New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	engine := New(Options{Catalog: catalog.Embedded(), Rules: rules, UnknownKinds: Auto})
	counts := map[bool]int{}
	for _, dir := range []string{"testdata/kinds", "testdata/demo", "rules"} {
		err := filepath.WalkDir(filepath.Join("..", "..", filepath.FromSlash(dir)),
			func(path string, d fs.DirEntry, err error) error {
				isExample := filepath.Ext(path) == ".yaml" && (dir != "rules" || d.Name() == "bad.yaml") ||
					filepath.Ext(path) == ".json"
				if err != nil || d.IsDir() || !isExample {
					return err
				}
				text, err := os.ReadFile(path)
				if err == nil {
					checkFixes(t, engine, path, string(text), counts)
				}
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d safe fixes, %d others", counts[true], counts[false])
	if counts[true] < 5 || counts[false] < 5 {
		t.Errorf("only %d safe fixes and %d others", counts[true], counts[false])
	}
}

// Examples without findings get a misspelled or misquoted word. The fix restores the text exactly.
func TestFixesUndoSlips(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	undone, slipsSeen := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(filepath.Join("..", "..", "testdata", "kinds"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".json" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || len(findings(engine, path, string(text))) > 0 {
				return err
			}
			src := &source.Source{Name: path, Text: string(text)}
			for part := range manifest.Parts(src) {
				tree := &manifest.Tree{}
				tree.Read(src, part)
				for kind, slip := range slips(tree.Root(), src.Text) {
					if slipsSeen[kind]++; kind == "key" && slipsSeen[kind]%everySlip != 0 {
						continue
					}
					undone[kind] += undoSlip(t, engine, kind, slip, src)
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(undone)
	for _, kind := range []string{"key", "quotes", "no quotes"} {
		if undone[kind] < 15 {
			t.Errorf("only %d slips of %s have a fix", undone[kind], kind)
		}
	}
}

// everySlip means that one of this many keys is misspelled, because the examples have thousands.
const everySlip = 20

// slips yields the type of a mistake and a copy of a text with it: a letter of a key is doubled, or quotes are added
// or removed.
func slips(n manifest.Node, text string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !n.Valid() {
			return
		}
		value, key := n.Span(), n.KeySpan()
		if end := key.End - 1; key.End-key.Start > 6 && !yield("key", text[:end]+text[end-1:]) {
			return
		}
		raw := n.Raw()
		isWritten := value.End > value.Start && n.Type() != manifest.Map && n.Type() != manifest.List &&
			n.Type() != manifest.Null
		switch {
		case isWritten && n.Type() != manifest.String && !yield("quotes", text[:value.Start]+`"`+raw+`"`+text[value.End:]):
			return
		case n.Style() == manifest.DoubleQuoted && !yield("no quotes",
			text[:value.Start]+strings.Trim(raw, `"`)+text[value.End:]):
			return
		}
		for child := range n.Children() {
			for kind, slip := range slips(child, text) {
				if !yield(kind, slip) {
					return
				}
			}
		}
	}
}

// undoSlip returns the number of fixes for a text with a mistake. Another name may be nearer to the misspelled one.
func undoSlip(t *testing.T, engine *Engine, kind, slip string, src *source.Source) (undone int) {
	t.Helper()
	for _, v := range findings(engine, src.Name, slip) {
		for _, fix := range v.Fixes {
			if have := apply(slip, fix); have == src.Text {
				undone++
			} else if fix.Safe || kind != "key" {
				t.Errorf("%s: %s: have %q, want %q", v.Place, fix.Title, have, src.Text)
			}
		}
	}
	return undone
}

func checkFixes(t *testing.T, engine *Engine, path, text string, counts map[bool]int) {
	t.Helper()
	before := findings(engine, path, text)
	for _, v := range before {
		wantSameAdvice(t, &v)
		for _, fix := range v.Fixes {
			counts[fix.Safe]++
			after := findings(engine, path, apply(text, fix))
			for _, rule := range []diag.Rule{diag.Syntax, diag.DuplicateKey} {
				if count(after, rule) > count(before, rule) {
					t.Errorf("%s: %s: a new finding of %s", v.Place, fix.Title, rule)
				}
			}
			if !fix.Safe {
				continue
			}
			isSame := func(w diag.Violation) bool {
				return w.Rule == v.Rule && w.Place.Span.Start == v.Place.Span.Start && w.Path.String() == v.Path.String()
			}
			most := count(before, diag.WrongType) - count([]diag.Violation{v}, diag.WrongType)
			if slices.ContainsFunc(after, isSame) || count(after, diag.WrongType) > most {
				t.Errorf("%s: %s: the finding is still there, or another of wrong-type", v.Place, fix.Title)
			}
		}
	}
}

// wantSameAdvice checks that the help of a finding and its first fix are the same edit, if the help cites a text.
func wantSameAdvice(t *testing.T, v *diag.Violation) {
	t.Helper()
	fixes := v.Applicable(true)
	start, rest, isCited := strings.Cut(v.Help, `"`)
	if !isCited || len(fixes) == 0 || start != "use " && start != "quote it: " {
		return
	}
	cited, _, _ := strings.Cut(rest, `"`)
	if written := fixes[0].Edits[0].NewText; !strings.Contains(written, cited) && !strings.HasSuffix(cited, "="+written) {
		t.Errorf("%s: the help is %q, but the fix writes %s", v.Place, v.Help, written)
	}
}

// Where no edit is possible, the help does not show a text that would be wrong.
func TestHelpWithoutAFixIsRight(t *testing.T) {
	engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Auto})
	const start = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, c := range []struct{ name, text, want string }{
		{"alias", start + "immutable: &on true\ndata: {a: *on}\n", `use "true": *on is the boolean true`},
		{"anchor", start + "data: {a: &x 3, b: \"c\"}\n", `quote it: &x "3"`},
		{"tag", start + "data: {a: !!int 3}\n", `remove the tag, and quote it: "3"`},
		{"octal", start + "data: {a: 0777}\n", `quote it: "0777"; without quotes it is octal, the number 511`},
		{"exponent", start + "data: {a: 3.56e+08}\n", `quote it: "3.56e+08"; without quotes it is the number 356000000`},
	} {
		found := findings(engine, "a.yaml", c.text)
		i := slices.IndexFunc(found, func(v diag.Violation) bool { return v.Rule == diag.WrongType })
		if i < 0 || found[i].Help != c.want {
			t.Errorf("%s: have %v, want %q", c.name, found, c.want)
			continue
		}
		if isShared := strings.ContainsAny(c.text, "&*!"); isShared == (len(found[i].Applicable(true)) > 0) {
			t.Errorf("%s: the fixes are %v", c.name, found[i].Fixes)
		}
	}
}

func findings(engine *Engine, path, text string) []diag.Violation {
	report, _ := engine.Texts([]*source.Source{{Name: path, Text: text}})
	return report.Violations
}

func count(violations []diag.Violation, rule diag.Rule) (n int) {
	for i := range violations {
		if violations[i].Rule == rule {
			n += 1 + violations[i].More
		}
	}
	return n
}

// Places and edits in a part of a stream refer to the whole stream.
func TestEditsOfAPartOfAStreamAreInTheWholeOfIt(t *testing.T) {
	src := &source.Source{
		Name: "a.yaml", Text: "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresource: [a]\n",
		FirstByte: 1000, FirstLine: 50,
	}
	report, _ := New(Options{Catalog: catalog.Embedded()}).Texts([]*source.Source{src})
	i := slices.IndexFunc(report.Violations, func(v diag.Violation) bool { return len(v.Fixes) > 0 })
	if i < 0 {
		t.Fatalf("no fix: %v", report.Violations)
	}
	place := report.Violations[i].Fixes[0].Edits[0].Place
	place.Detach()
	if want := (source.Span{Start: 1064, End: 1072}); place.Span != want || place.String() != "a.yaml:52:1-52:9" {
		t.Errorf("have %v at %s", place.Span, place)
	}
}
