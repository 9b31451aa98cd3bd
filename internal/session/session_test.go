package session

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
)

const (
	params = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\nspec: {scheme: %s}\n"
	crd    = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: words.lab.example.com}
spec:
  group: lab.example.com
  names: {kind: Word, plural: words}
  scope: Cluster
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {%s: {type: string, default: x}}}}}
`
	word = "apiVersion: lab.example.com/v1\nkind: Word\nmetadata: {name: a}\nword: b\n"
)

const today = "2027-01-31"

// workspace is a directory with a session in it.
type workspace struct {
	*testing.T
	root string
	*Session
}

func open(t *testing.T, files map[string]string) workspace {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := workspace{t, root, New(Options{Lint: rule.Options{Profile: "all"}}, find.Options{Base: find.OnDisk(root)})}
	for name, text := range files {
		w.write(name, text)
	}
	return w
}

func (w workspace) at(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w workspace) write(name, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.at(name)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.at(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// rules returns the rules of what is found in a text, or the error.
func (w workspace) rules(name string) string {
	report, err := w.Check(w.at(name), today)
	if err != nil {
		return err.Error()
	}
	var rules []string
	for _, v := range report.Violations {
		rules = append(rules, string(v.Rule))
	}
	return strings.Join(rules, " ")
}

func (w workspace) want(what, name, want string) {
	w.Helper()
	if have := w.rules(name); have != want {
		w.Errorf("%s: %s has %q, want %q", what, name, have, want)
	}
}

func TestATextOfAnEditorWinsOverTheDisk(t *testing.T) {
	w := open(t, map[string]string{"a.yaml": fmt.Sprintf(params, "bad")})
	w.want("on disk", "a.yaml", "not-in-enum")
	w.Set(w.at("a.yaml"), fmt.Sprintf(params, "internal"))
	w.want("in the editor", "a.yaml", "")
	w.Close(w.at("a.yaml"))
	w.want("closed", "a.yaml", "not-in-enum")
	w.Set(w.at("new.yaml"), fmt.Sprintf(params, "bad"))
	w.want("not yet on disk", "new.yaml", "not-in-enum")
	w.Close(w.at("new.yaml"))
	if _, err := w.Check(w.at("new.yaml"), today); err == nil {
		t.Error("a text that is closed and was never written is still there")
	}
	if report, err := w.Check(w.at("a.yaml"), today); err != nil || report.Violations[0].Place.File != "a.yaml" {
		t.Errorf("have %+v, %v", report, err)
	}
}

// Each file that says how to check is forgotten when it changes, and nothing else is.
func TestAChangedFileInvalidatesWhatDependsOnIt(t *testing.T) {
	const rule = "id: demo/no-word\ntitle: no word\nseverity: warning\nkinds: [Word.lab.example.com]\neach: word\ncheck: self == '%s'\n" +
		"message: bad word\nwhy: It is bad.\n"
	start := func() workspace {
		w := open(t, map[string]string{
			"one/.kindvet.yaml": "schemas: [crds]\nrules: [rule.yaml]\n", "one/crds/word.yaml": fmt.Sprintf(crd, "word"),
			"one/rule.yaml": fmt.Sprintf(rule, "b"), "one/a.yaml": word, "one/sub/b.yaml": word,
			"two/c.yaml": fmt.Sprintf(params, "internal"), "two/.kindvet.yaml": "profile: all\n",
		})
		for _, name := range []string{"one/a.yaml", "one/sub/b.yaml", "two/c.yaml"} {
			w.want("at first", name, "")
		}
		return w
	}
	for name, c := range map[string]struct{ file, text, want, kept string }{
		"a configuration":     {"one/.kindvet.yaml", "schemas: [crds]\nrules: [rule.yaml]\nprofile: schema\n", "", "two"},
		"a schema":            {"one/crds/word.yaml", fmt.Sprintf(crd, "other"), "unknown-field", "two"},
		"a new schema":        {"one/crds/xword.yaml", fmt.Sprintf(crd, "other"), "unknown-field", "two"},
		"a rule":              {"one/rule.yaml", fmt.Sprintf(rule, "c"), "demo/no-word", "two"},
		"an ignore file":      {"one/sub/.kindvetignore", "b.yaml\n", "", "one two"},
		"a new configuration": {"one/sub/.kindvet.yaml", "profile: schema\n", "", "one two"},
		"a manifest":          {"one/sub/b.yaml", word + "more: c\n", "unknown-field", "one one/sub two"},
	} {
		w := start()
		before := maps.Clone(w.directories)
		w.write(c.file, c.text)
		w.Changed(w.at(c.file))
		var kept []string
		for path := range w.directories {
			if w.directories[path] != before[path] {
				t.Errorf("%s: %s was made anew", name, path)
			}
			kept = append(kept, strings.TrimPrefix(path, w.root+string(filepath.Separator)))
		}
		slices.Sort(kept)
		if have := strings.Join(kept, " "); have != filepath.FromSlash(c.kept) {
			t.Errorf("%s: %q were kept, want %q", name, have, c.kept)
		}
		w.want(name, "one/sub/b.yaml", c.want)
		w.want(name, "two/c.yaml", "")
		if w.directories[w.at("two")] != before[w.at("two")] {
			t.Errorf("%s: what has nothing to do with it was made anew", name)
		}
	}
}

// Directories whose configurations agree share a catalog and rules, also after a change elsewhere.
func TestDirectoriesShareWhatTheyAreCheckedWith(t *testing.T) {
	w := open(t,
		map[string]string{"one/a.yaml": fmt.Sprintf(params, "internal"), "two/b.yaml": fmt.Sprintf(params, "internal")})
	w.want("one", "one/a.yaml", "")
	w.want("two", "two/b.yaml", "")
	one, two := w.directories[w.at("one")], w.directories[w.at("two")]
	if one.settings.Catalog() != two.settings.Catalog() || one.settings.rules != two.settings.rules {
		t.Error("two catalogs, or two sets of rules")
	}
	engine := one.engine
	for range 3 {
		w.Set(w.at("one/a.yaml"), fmt.Sprintf(params, "bad"))
		w.want("changed", "one/a.yaml", "not-in-enum")
	}
	if w.directories[w.at("one")].engine != engine {
		t.Error("an edit of a manifest makes an engine")
	}
}

func TestATextIsExcludedByIgnoreFiles(t *testing.T) {
	w := open(t, map[string]string{".kindvetignore": "skip\n", "skip/a.yaml": "", "b.yaml": ""})
	for name, want := range map[string]bool{"skip/a.yaml": true, "b.yaml": false} {
		if have, err := w.IsExcluded(w.at(name)); have != want || err != nil {
			t.Errorf("%s: have %t, %v", name, have, err)
		}
	}
	w.Set(w.at(".kindvetignore"), "b.yaml\n")
	if have, err := w.IsExcluded(w.at("b.yaml")); !have || err != nil {
		t.Errorf("have %t, %v", have, err)
	}
}

func TestASuppressionCountsUntilItsDay(t *testing.T) {
	w := open(t, map[string]string{".kindvet.yaml": "profile: all\n"})
	for until, want := range map[string]string{today: "", "2027-01-30": "suppression-expired ingress/open-inbound-cidr"} {
		w.Set(w.at("a.yaml"), strings.Replace(fmt.Sprintf(params, "internal"), "{scheme: internal}",
			"\n  scheme: internal\n  # kindvet:ignore[ingress/open-inbound-cidr until "+until+
				"] a test\n  inboundCIDRs: [0.0.0.0/0]", 1))
		w.want(until, "a.yaml", want)
	}
}

// A person who types a kind, letter by letter and for days, fills no cache.
func TestEditsDoNotFillTheMemory(t *testing.T) {
	const edits = 100_000
	w := open(t, map[string]string{"a.yaml": ""})
	path := w.at("a.yaml")
	for i := range edits {
		w.Set(path, fmt.Sprintf("apiVersion: elbv2.platform.cloud/v1beta1\nkind: K%d\nmetadata: {name: a}\n", i))
		if _, err := w.Check(path, today); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 {
			if _, err := w.Documents(path, NoCursor); err != nil {
				t.Fatal(err)
			}
		}
	}
	d := w.directories[w.root]
	for name, size := range map[string][2]int{
		"texts": {w.tree.Len(), 1}, "directories": {len(w.directories), 1}, "documents": {len(w.documents), 1},
		"kinds": {len(w.engines.kinds), 1}, "rules": {len(w.engines.rules), 1},
		"plans":   {d.settings.rules.set.CacheSize(), 1000},
		"answers": {d.settings.Catalog().CacheSize(), 2000}, "paths": {len(d.reads.paths), 100},
	} {
		if size[0] > size[1] {
			t.Errorf("%s: %d, want at most %d", name, size[0], size[1])
		}
	}
}

func TestTheNumberOfDirectoriesAndEnginesIsLimited(t *testing.T) {
	w := open(t, nil)
	all := rule.All(nil)
	for i := range maxDirectories + 50 {
		name := fmt.Sprintf("d%d/a.yaml", i)
		w.Set(w.at(name), fmt.Sprintf(params, "internal"))
		w.Set(w.at(fmt.Sprintf("d%d/.kindvet.yaml", i)), fmt.Sprintf("disable: [%s]\n", all[i%100].ID))
		if _, err := w.Documents(w.at(name), NoCursor); err != nil {
			t.Fatal(err)
		}
		if len(w.directories) > maxDirectories || len(w.engines.rules) > maxRuleSets || len(w.documents) > maxDocumentTexts {
			t.Fatalf("%d directories, %d sets of rules, %d documents", len(w.directories), len(w.engines.rules),
				len(w.documents))
		}
	}
}

// The check of a document and its stored form leave the written one as it is.
func TestTheWrittenTreeIsNotTheStoredOne(t *testing.T) {
	w := open(t, map[string]string{".kindvet.yaml": "schemas: [crd]\n", "crd/word.yaml": fmt.Sprintf(crd, "word")})
	w.Set(w.at("a.yaml"), "# first\n---\n"+strings.ReplaceAll(word, "word: b", "more: 1")+"---\nkind: Unknown\n")
	documents, err := w.Documents(w.at("a.yaml"), NoCursor)
	if err != nil || len(documents) != 2 || documents[0].Kind == nil || documents[1].Kind != nil {
		t.Fatalf("have %d documents, %v", len(documents), err)
	}
	w.want("checked", "a.yaml", "unknown-field missing-kind")
	has := func(tree *manifest.Tree, name string) bool {
		_, ok := tree.Root().Field(name)
		return ok
	}
	d := documents[0]
	stored := d.Stored()
	if has(stored, "more") || !has(stored, "word") {
		t.Error("the stored tree has an unknown field, or no default")
	}
	if !has(d.Written, "more") || has(d.Written, "word") || d.Stored() != stored {
		t.Error("the written tree is not as it is written")
	}
	again, err := w.Documents(w.at("a.yaml"), NoCursor)
	if err != nil || again[0] != d {
		t.Error("documents are kept until the text changes")
	}
	w.Set(w.at("a.yaml"), word)
	if again, err = w.Documents(w.at("a.yaml"), NoCursor); err != nil || again[0] == d || len(again) != 1 {
		t.Error("documents of a text that has changed are read again")
	}
}

// While a text is typed, what is around the cursor is known.
func TestANodeIsFoundInATextWithASyntaxError(t *testing.T) {
	w := open(t, map[string]string{
		"a.yaml": fmt.Sprintf(params, "internal") + "---\n" +
			strings.Replace(fmt.Sprintf(params, "x"), "{scheme: x}", "\n  scheme: internal\n  tags: [", 1),
	})
	text, err := os.ReadFile(w.at("a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"internal}": "spec.scheme", "internal\n": "spec.scheme", "tags": "spec.tags",
	} {
		offset := strings.Index(string(text), word) + 1
		d, n, _, err := w.NodeAt(w.at("a.yaml"), offset)
		isBroken := word != "internal}"
		if err != nil || !n.Valid() || d == nil || !strings.HasPrefix(n.Path().String(), want) || d.Kind == nil ||
			len(d.Syntax) > 0 != isBroken {
			t.Errorf("%q: have %+v in %+v, %v", word, n, d, err)
		}
	}
	w.Set(w.at("b.yaml"), "")
	if _, n, _, err := w.NodeAt(w.at("b.yaml"), 0); n.Valid() || err != nil {
		t.Errorf("have a node in an empty text, %v", err)
	}
}

func TestWhatIsNoFileIsNotRead(t *testing.T) {
	w := open(t, map[string]string{"sub/a.yaml": ""})
	for _, name := range []string{"sub", "none.yaml"} {
		if _, err := w.Check(w.at(name), today); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if s := (&Settings{kinds: &kinds{}, rules: &ruleSet{}}); s.Engine(check.Options{}) == nil {
		t.Error("no engine")
	}
}
