package config

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

func parse(t *testing.T, name, text string) Config {
	t.Helper()
	c, violations := Parse(&source.Source{Name: name, Text: text})
	for _, v := range violations {
		t.Fatalf("%s:%d:%d: %s", v.Place.File, v.Place.Start().Line, v.Place.Start().Column, v.Message)
	}
	return c
}

// The settings in the file to start from are valid once the # before them is removed.
func TestTheFileToStartFromCanBeUsed(t *testing.T) {
	parse(t, ".kindvet.yaml", Start)
	var settings strings.Builder
	for line := range strings.Lines(Start) {
		rest, ok := strings.CutPrefix(line, "# ")
		if key, _, isKey := strings.Cut(rest, ":"); ok &&
			(strings.HasPrefix(rest, " ") || isKey && !strings.Contains(key, " ") && !strings.Contains(line, "$schema")) {
			settings.WriteString(rest)
		}
	}
	c := parse(t, ".kindvet.yaml", settings.String())
	if len(c.Schemas) != 1 || len(c.Names.Groups) != 1 || len(c.Rules) != 1 || len(c.Severities) != 1 ||
		len(c.Enable) != 1 || len(c.Disable) != 1 ||
		c.Profile == "" || c.UnknownKinds == "" || c.FailOn == "" || c.Baseline.Text == "" || len(c.Excludes) != 1 ||
		len(c.Ignores) != 1 {
		t.Errorf("have %+v", c)
	}
}

// Detected settings replace the examples, and are valid for any names.
func TestDetectedSettingsCanBeUsed(t *testing.T) {
	d := Detected{
		Groups: []DetectedGroup{{DetectedName{"elbv2.platform.cloud", "elbv2.k8s.example"}, []string{"IngressClassParams"}}},
		Kinds:  []DetectedName{{"VendorAppV3", "AcmeAppV3"}},
	}
	odd := []string{"crds", "a b/# c.yaml", "true", "é: \"x\"", "- y", "0x1", "tab\t.yaml", "..yaml"}
	if runtime.GOOS == "windows" { // a name cannot have a colon
		odd = slices.DeleteFunc(odd, func(name string) bool { return strings.Contains(name, ":") })
	}
	d.Schemas = odd
	c := parse(t, ".kindvet.yaml", d.Text())
	if have := Texts(c.Schemas); len(have) != len(odd) {
		t.Fatalf("have %q", have)
	}
	for i, path := range Texts(c.Schemas) {
		if path != filepath.ToSlash(filepath.Clean(odd[i])) {
			t.Errorf("have %q, want %q", path, odd[i])
		}
	}
	if len(c.Names.Groups) != 1 || c.Names.Groups[0].To.Text != "elbv2.k8s.example" || len(c.Names.Kinds) != 1 {
		t.Errorf("have %+v", c.Names)
	}
	if none := (&Detected{}); none.Text() != Start {
		t.Error("nothing is detected, and the text is another one")
	}
}

func TestPathsAreRelativeToTheFile(t *testing.T) {
	srv := filepath.Join(t.TempDir(), "crds")
	c := parse(t, "team/.kindvet.yaml", "extends: [../base.yaml]\nschemas: [crds, '"+srv+"']\nrules: [lint]\n"+
		"charts: [{values: [values.yaml]}]\nbaseline: known.json\n")
	want := []string{"base.yaml", "team/crds", filepath.ToSlash(srv), "team/lint", "team/values.yaml", "team/known.json"}
	all := slices.Concat(c.Extends, c.Schemas, c.Rules, c.Charts[0].Files, []source.Word{c.Baseline})
	if have := Texts(all); !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestAnEmptyFileSaysNothing(t *testing.T) {
	for _, text := range []string{"", "# later\n", "---\n", "schemas:\n"} {
		if c := parse(t, ".kindvet.yaml", text); len(c.Schemas) > 0 {
			t.Errorf("%q: have schemas %v", text, c.Schemas)
		}
	}
}

func TestFaultsHaveAPlaceAndTheNearestKey(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
		rule         diag.Rule
		help         string
	}{
		{"profil: all\n", 1, 1, diag.UnknownField, `use "profile"`},
		{"kind: Config\n", 1, 1, diag.UnknownField, ""},
		{"profile: strict\n", 1, 10, diag.NotInEnum, ""},
		{"schemas: crds\n", 1, 10, diag.WrongType, ""},
		{"names:\n  group: {a: b}\n", 2, 3, diag.UnknownField, `use "groups"`},
		{"ignores:\n  - rule: cel\n", 2, 5, diag.MissingField, "why the finding is ignored"},
		{"ignores:\n  - {rule: cel, reason: old, until: soon}\n", 2, 37, diag.BadFormat, ""},
		{"ignores:\n  - {reason: all}\n", 2, 5, diag.NoMatch, ""},
		{"severity: {open-cidr: fatal}\n", 1, 23, diag.NotInEnum, ""},
		{"profile: all\nprofile: schema\n", 2, 1, diag.DuplicateKey, ""},
		{"profile: all\n---\nprofile: all\n", 3, 1, diag.Syntax, ""},
		{"[]\n", 1, 1, diag.WrongType, ""},
	} {
		_, violations := Parse(&source.Source{Name: ".kindvet.yaml", Text: c.text})
		if len(violations) == 0 {
			t.Errorf("%q: no violation", c.text)
			continue
		}
		v := violations[0]
		if p := v.Place.Start(); p.Line != c.line || p.Column != c.column || v.Rule != c.rule ||
			!strings.Contains(v.Help, c.help) {
			t.Errorf("%q: have %d:%d %s, help %q; want %d:%d %s, help %q", c.text, p.Line, p.Column, v.Rule, v.Help, c.line,
				c.column, c.rule, c.help)
		}
	}
}

func TestAListOfVersionsHasAsManyFaultsAsAreDescribed(t *testing.T) {
	for _, item := range []string{`"1.30"`, `"1.28"`, "1.28", "[1]"} {
		text := `kubernetesVersion: ["1.30"` + strings.Repeat(", "+item, diag.MaxDescribed+1) + "]\n"
		if _, violations := Parse(&source.Source{Name: ".kindvet.yaml", Text: text}); len(violations) != diag.MaxDescribed {
			t.Errorf("%s: have %d violations", item, len(violations))
		}
	}
}

func TestWhatAFileSaysWinsOverWhatItExtends(t *testing.T) {
	base := parse(t, "base.yaml", `
schemas: [crds]
profile: all
unknownKinds: error
enable: [a, b]
disable: [c, d]
names:
  groups: {elbv2.platform.cloud: elbv2.base, events.platform.io: events.base}
`)
	c := parse(t, "team/.kindvet.yaml", `
schemas: [more]
profile: schema
enable: [c]
disable: [a]
names:
  groups: {elbv2.platform.cloud: elbv2.team}
`).Extend(base)
	if c.Profile != "schema" || c.UnknownKinds != "error" {
		t.Errorf("have profile %q, unknownKinds %q", c.Profile, c.UnknownKinds)
	}
	for _, list := range []struct {
		of   string
		have []source.Word
		want string
	}{
		{"schemas", c.Schemas, "crds team/more"}, {"enable", c.Enable, "b c"}, {"disable", c.Disable, "d a"},
	} {
		if have := filepath.ToSlash(strings.Join(Texts(list.have), " ")); have != list.want {
			t.Errorf("%s: have %q, want %q", list.of, have, list.want)
		}
	}
	var groups []string
	for _, g := range c.Names.Groups {
		groups = append(groups, g.To.Text)
	}
	if want := []string{"events.base", "elbv2.team"}; !slices.Equal(groups, want) {
		t.Errorf("groups: have %q, want %q", groups, want)
	}
}

// extended says for each key of a configuration file how it is merged with that of the extended one: the values in both
// files, and what the merged configuration has. only is what it has if the file does not set the key.
var extended = map[string]struct {
	base, own, only, want string
	have                  func(c Config) any
}{
	"extends":  {"[a.yaml]", "[b.yaml]", "[]", "[b.yaml]", func(c Config) any { return Texts(c.Extends) }},
	"policies": {"[a, b, c]", "[d]", "[a b c]", "[a b c d]", func(c Config) any { return Texts(c.Policies) }},
	"schemas":  {"[a, b, c]", "[d]", "[a b c]", "[a b c d]", func(c Config) any { return Texts(c.Schemas) }},
	"rules":    {"[a, b, c]", "[d]", "[a b c]", "[a b c d]", func(c Config) any { return Texts(c.Rules) }},
	"names": {"{groups: {a: one, b: two}}", "{groups: {a: three}}", "[a=one b=two]",
		"[b=two a=three]", func(c Config) any {
			var list []string
			for _, g := range c.Names.Groups {
				list = append(list, g.From.Text+"="+g.To.Text)
			}
			return list
		}},
	"profile":      {"all", "schema", "all", "schema", func(c Config) any { return c.Profile }},
	"unknownKinds": {"error", "skip", "error", "skip", func(c Config) any { return c.UnknownKinds }},
	"enable":       {"[a, b, c]", "[d]", "[a b c]", "[a b c d]", func(c Config) any { return Texts(c.Enable) }},
	"disable":      {"[a, b, c]", "[d]", "[a b c]", "[a b c d]", func(c Config) any { return Texts(c.Disable) }},
	"severity": {"{a: error, b: info, c: info}", "{a: warning}", "map[a:error b:info c:info]",
		"map[a:warning b:info c:info]", func(c Config) any {
			last := map[string]diag.Severity{}
			for _, s := range c.Severities {
				last[s.Rule.Text] = s.Severity
			}
			return last
		}},
	"params": {"{a: {p: 1, q: 2, r: 3}}", "{a: {p: 4}}", "[{integer 1} {integer 2} {integer 3}]",
		"[{integer 4} {integer 2} {integer 3}]", func(c Config) any {
			last := map[string]any{}
			for _, p := range c.Params {
				last[p.Name.Text] = p.Value
			}
			return []any{last["p"], last["q"], last["r"]}
		}},
	"kubernetesVersion": {`["1.33", v1.30.2]`, `"1.31"`, "[30 33]", "[31]", func(c Config) any { return c.Kubernetes }},
	"helmVersion":       {"3", "4", "3", "4", func(c Config) any { return c.Helm }},
	"discovery":         {"true", "false", "true", "false", func(c Config) any { return *c.Discovery }},
	"complete":          {"true", "false", "true", "false", func(c Config) any { return *c.Complete }},
	"allowEmpty":        {"true", "false", "true", "false", func(c Config) any { return *c.AllowEmpty }},
	"failOn":            {"info", "warning", "info", "warning", func(c Config) any { return c.FailOn }},
	"output":            {"json", "text", "json", "text", func(c Config) any { return c.Output }},
	"baseline":          {"a.json", "b.json", "a.json", "b.json", func(c Config) any { return c.Baseline.Text }},
	"charts": {"[{values: [a]}, {values: [b]}, {values: [c]}]", "[{values: [d]}]", "[a b c]",
		"[a b c d]", func(c Config) any {
			var list []string
			for _, set := range c.Charts {
				list = append(list, set.Name)
			}
			return list
		}},
	"exclude": {"[a]", "[b]", "[a]", "[a b]", func(c Config) any {
		var list []string
		for _, x := range c.Excludes {
			for _, name := range []string{"a", "b"} {
				if x.Patterns.Contains(name) {
					list = append(list, name)
				}
			}
		}
		return list
	}},
	"featureGates": {"{HPAScaleToZero: true, SELinuxMount: true}", "{SELinuxMount: false}",
		"map[HPAScaleToZero:true SELinuxMount:true]", "map[HPAScaleToZero:true SELinuxMount:false]",
		func(c Config) any { return c.FeatureGates }},
	"apis": {"{api/beta: true}", "{batch/v1: false}", "map[api/beta:true]", "map[api/beta:true batch/v1:false]",
		func(c Config) any { return c.APIs }},
	"ignores": {"[{rule: a, reason: x}, {rule: b, reason: x}, {rule: c, reason: x}]", "[{rule: d, reason: x}]",
		"[a b c]", "[a b c d]", func(c Config) any {
			var list []string
			for _, i := range c.Ignores {
				list = append(list, i.Rule.Text)
			}
			return list
		}},
}

func TestEachKeyIsMergedWithThatOfTheExtendedFile(t *testing.T) {
	for key := range fileSchema().Node.At("properties").Children() {
		name := key.Key()
		c, ok := extended[name]
		if !ok {
			t.Errorf("%s: say in extended how it is merged", name)
			continue
		}
		base, own := parse(t, "base.yaml", name+": "+c.base+"\n"), parse(t, "own.yaml", name+": "+c.own+"\n")
		if have := fmt.Sprint(c.have(parse(t, "own.yaml", "").Extend(base))); have != c.only {
			t.Errorf("%s: only in the extended file, have %s, want %s", name, have, c.only)
		}
		merged := own.Extend(base)
		if have := fmt.Sprint(c.have(merged)); have != c.want {
			t.Errorf("%s: in both files, have %s, want %s", name, have, c.want)
		}
		before := fmt.Sprint(c.have(base))
		other := strings.ReplaceAll(c.own, "d", "e")              // another item of lists
		parse(t, "other.yaml", name+": "+other+"\n").Extend(base) // must share no memory with the first
		if have := fmt.Sprint(c.have(merged)); have != c.want {
			t.Errorf("%s: another file that extends the same one changes the first to %s", name, have)
		}
		if have := fmt.Sprint(c.have(base)); have != before {
			t.Errorf("%s: the extended file is changed to %s", name, have)
		}
	}
}

func TestIgnoresFitWhatTheyName(t *testing.T) {
	v := diag.Violation{
		Rule: diag.CEL, Path: diag.Fields("spec", "ports").Item(2).Field("range"),
		Object: diag.Object{Kind: "Widget", Namespace: "shop", Name: "front-1"},
	}
	names := diag.NewRuleNames([]diag.Rule{"ingress/open-cidr"})
	for _, c := range []struct {
		entry string
		fits  bool
	}{
		{"rule: cel", true}, {"rule: pattern-mismatch", false}, {"rule: open-cidr", false},
		{"kind: Widget", true}, {"kind: widget", false}, {"namespace: shop", true}, {"namespace: other", false},
		{"name: front-1", true}, {"name: front-*", true}, {"name: front", false},
		{"field: spec", true}, {"field: spec.ports", true}, {"field: 'spec.ports[]'", true},
		{"field: 'spec.ports[].range'", true},
		{"field: 'spec.ports[2]'", true}, {"field: 'spec.ports[1]'", false}, {"field: 'spec[].range'", false},
		{"field: '[]'", false},
		{"field: 'spec[\"ports\"]'", true}, {"field: .spec", false}, {"field: spec.", false},
		{"field: 'spec.ports['", false}, {"field: 'spec.ports[x]'", false},
		{"field: 'spec.ports[2]range'", false}, {"field: 'spec[\"ports\"'", false}, {"field: spec.port", false},
		{"field: 'spec.ports[].range.start'", false},
		{"path: deploy/", true}, {"path: deploy/old.yaml", true}, {"path: '*.yaml'", true}, {"path: old/", false},
		{"path: '**/old.*'", true},
		{"{rule: cel, name: back}", false}, {"{rule: cel, kind: Widget, path: deploy}", true},
	} {
		entry := strings.Trim(c.entry, "{}")
		i := parse(t, ".kindvet.yaml", "ignores: [{"+entry+", reason: test}]\n").Ignores[0]
		if have := i.Fits(&v, names, "deploy/old.yaml"); have != c.fits {
			t.Errorf("%s: fits %v, want %v", c.entry, have, c.fits)
		}
		if !i.Path.Empty() && i.Fits(&v, names, "") {
			t.Errorf("%s: fits a file outside the directory", c.entry)
		}
	}
}

func TestAnIgnoreHoldsOnItsLastDay(t *testing.T) {
	i := parse(t, ".kindvet.yaml", "ignores: [{rule: cel, reason: test, until: 2027-01-31}]\n").Ignores[0]
	for day, expired := range map[string]bool{"": false, "2027-01-30": false, "2027-01-31": false, "2027-02-01": true} {
		if i.Expired(day) != expired {
			t.Errorf("on %s: expired %v, want %v", day, i.Expired(day), expired)
		}
	}
}
