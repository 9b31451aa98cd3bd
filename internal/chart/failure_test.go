package chart

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/diag"
)

const metadata = "apiVersion: v2\nname: a\nversion: 1.0.0\n"

func TestAChartThatCannotBeRenderedHasAFindingAtItsPlace(t *testing.T) {
	for _, c := range []struct {
		name                 string
		files                []File
		want, message, other string
	}{
		{"no Chart.yaml", nil, "a/Chart.yaml:1:1", "Chart.yaml not found", ""},
		{"version missing", []File{{"Chart.yaml", "name: a\n"}}, "a/Chart.yaml:1:1", `required field "version" is missing`, ""},
		{
			"version invalid", []File{{"Chart.yaml", "name: a\nversion: x\n"}}, "a/Chart.yaml:2:10",
			`version: "x" is not a semantic version`, "",
		},
		{
			"values not YAML", []File{{"Chart.yaml", metadata}, {"values.yaml", "a: 1\nb: [\n"}}, "a/values.yaml:2:1",
			"invalid YAML: line 2: did not find expected node content", "",
		},
		{"missing dependency", []File{{"Chart.yaml", metadata + "dependencies:\n- name: store\n  version: 1.0.0\n"}},
			"a/Chart.yaml:5:9", `dependency "store" is not in charts/, so the chart is not checked`, ""},
		{"version of Kubernetes", []File{{"Chart.yaml", metadata + "kubeVersion: <1.20.0-0\n"}}, "a/Chart.yaml:4:1",
			"kubeVersion: the chart requires <1.20.0-0, but the version is v1.34.0", ""},
		{"values violate the schema", []File{{"Chart.yaml", metadata}, {"values.yaml", "a: 1\nsize: x\n"},
			{"values.schema.json", `{"properties": {"size": {"type": "integer"}}}`}}, "a/values.yaml:2:7",
			"values.size: must be an integer, got a string (values.schema.json)", ""},
		{"parse error", template1("a: 1\nb: {{ if }}\n"), "a/templates/a.yaml:2:1", "missing value for if", ""},
		{"unknown function", template1("{{ nothing 1 }}"), "a/templates/a.yaml:1:1", `function "nothing" not defined`, ""},
		{"environment", template1(`{{ env "HOME" }}`), "a/templates/a.yaml:1:1", `function "env" not defined`, ""},
		{"required", template1("a: 1\nb: {{ required \"set b\" .Values.b }}\n"), "a/templates/a.yaml:2:4", "set b", ""},
		{"fail in a helper",
			append(template1("a: {{ include \"h\" . }}\n"),
				File{"templates/_h.tpl", "{{ define \"h\" }}\nx: {{ fail \"no way\" }}\n{{ end }}"}),
			"a/templates/_h.tpl:2:4", "no way", "a/templates/a.yaml:1:4"},
		{"fail in a condition", template1("a: 1\n{{ if fail \"no\" }}{{ end }}\n"), "a/templates/a.yaml:2:1", "no", ""},
		{
			"nil pointer", template1("a: 1\n{{ .Values.x.y.z }}\n"), "a/templates/a.yaml:2:1",
			"nil pointer evaluating interface {}.y", "",
		},
		{
			"in tpl", template1("a: 1\nb: {{ tpl \"{{ .Values.x.y.z }}\" . }}\n"), "a/templates/a.yaml:2:4",
			"nil pointer evaluating interface {}.y", "",
		},
		{
			"in a called template", template1("{{ define \"d\" }}\n{{ fail \"d\" }}{{ end }}\n\n{{ template \"d\" }}"),
			"a/templates/a.yaml:2:1", "d", "a/templates/a.yaml:4:1",
		},
	} {
		r := Render("a", c.files, Options{Kubernetes: 34})
		if len(r.Violations) != 1 {
			t.Errorf("%s: have %d violations and %d outputs", c.name, len(r.Violations), len(r.Outputs))
			continue
		}
		v := r.Violations[0]
		place, _, _ := strings.Cut(v.Place.String(), "-")
		other := ""
		if len(v.Related) > 0 {
			other, _, _ = strings.Cut(v.Related[0].Place.String(), "-")
		}
		if place != c.want || v.Message != c.message || other != c.other {
			t.Errorf("%s:\nhave %s %q %s\nwant %s %q %s", c.name, place, v.Message, other, c.want, c.message, c.other)
		}
	}
}

// template1 returns a chart with one template.
func template1(text string) []File {
	return []File{{"Chart.yaml", metadata}, {"templates/a.yaml", text}}
}

// skipIfShort skips a test that uses up a limit: it takes seconds, and minutes with the race detector.
func skipIfShort(t *testing.T) {
	if testing.Short() {
		t.Skip("uses up a limit")
	}
}

func TestAHostileTemplateEndsWithAFinding(t *testing.T) {
	skipIfShort(t)
	double := `{{ $x := "0123456789" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}`
	for name, text := range map[string]string{
		"endless range":       `{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}`,
		"range over a number": `{{ range $i, $x := 9000000000000 }}{{ end }}`,
		"continue":            `{{ range $i := 9000000000000 }}{{ continue }}{{ end }}`,
		"doubled text":        double,
		"doubled by a method": `{{ $t := toDate "2006-01-02" "2024-12-31" }}{{ $x := "1" }}{{ range until 40 }}{{ $x = $t.Format $x }}{{ end }}`,
		"doubled by a pipe":   `{{ $t := toDate "2006-01-02" "2024-12-31" }}{{ $x := "1" }}{{ range until 40 }}{{ $x = $x | ($t).Format }}{{ end }}`,
		"doubled list":        `{{ $x := list 1 2 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}`,
		"doubled dict":        `{{ $x := dict }}{{ range until 60 }}{{ $x = dict "a" $x "b" $x }}{{ end }}{{ $x }}`,
		"dict in values":      `{{ range until 60 }}{{ $_ := set $.Values "a" (dict "l" $.Values.a "r" $.Values.a) }}{{ end }}{{ toYaml .Values }}`,
		"cycle":               `{{ $_ := set .Values "a" .Values }}{{ toYaml .Values }}`,
		"cycle through scope": `{{ $_ := set .Values "a" $ }}{{ toYaml .Values }}`,
		"cycle by merge":      `{{ $_ := merge .Values $ }}{{ toYaml .Values }}`,
		"repeat":              `{{ repeat 1000000000 "abcdefgh" }}`,
		"indent":              `{{ indent 1000000000 "a" }}`,
		"until":               `{{ until 1000000000 }}`,
		"seq":                 `{{ seq 1 1000000000 }}`,
		"width":               `{{ range until 1000 }}{{ printf "%1000000d" 1 }}{{ end }}`,
		"replace":             `{{ $x := repeat 1000000 "a" }}{{ replace "" $x $x }}`,
		"include":             `{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
		"many includes":       `{{ define "a" }}{{ include "b" . }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
		"template":            `{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`,
		"tpl":                 `{{ define "a" }}{{ tpl "{{ include \"a\" . }}" . }}{{ end }}{{ include "a" . }}`,
		"tpl bomb":            `{{ define "a" }}{{ tpl (print "{{ include \"a\" . }}" "{{ include \"a\" . }}") . }}{{ end }}{{ include "a" . }}`,
		"output":              `{{ $x := repeat 8000000 "a" }}{{ range until 1000 }}{{ $x }}{{ end }}`,
		"many actions":        strings.Repeat("{{ 1 }}", engine.MaxActions+1),
		"many in tpl":         `{{ $t := repeat 60000 "{{ 1 }}" }}{{ tpl (print "{{ tpl .t . }}" $t) (dict "t" $t) }}`,
		"nesting":             strings.Repeat("{{ if true }}", 5000) + strings.Repeat("{{ end }}", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			r := Render("a", template1("a: 1\n"+text), Options{Kubernetes: 34})
			if len(r.Violations) != 1 || len(r.Outputs) > 0 {
				t.Fatalf("have %d violations", len(r.Violations))
			}
			v := r.Violations[0]
			if v.Place.File != "a/templates/a.yaml" {
				t.Errorf("%s: %s", v.Place, v.Message)
			}
			if isRejectedByHelm := strings.HasPrefix(name, "cycle") || strings.HasSuffix(name, "include") ||
				name == "many includes" || name == "range over a number"; isRejectedByHelm {
				if v.Rule != diag.TemplateError {
					t.Errorf("have %s: %s", v.Rule, v.Message)
				}
				return
			}
			if v.Rule != diag.ReaderLimit || !strings.HasSuffix(v.Message, ", so the chart is not rendered") || r.NeedsValues {
				t.Errorf("have %s: %s", v.Rule, v.Message)
			}
		})
	}
}

// One call of a function can ask for more work or memory than any number of steps.
func TestOneCallIsLimited(t *testing.T) {
	skipIfShort(t)
	for name, text := range map[string]string{
		"numbers that overflow":     `{{ untilStep 9223372036854775800 9223372036854775807 5 }}`,
		"large numbers":             `{{ untilStep 2199023255552 2199123255552 1 }}`,
		"negative numbers":          `{{ until -9223372036854775808 }}`,
		"ranges of versions":        `{{ semverCompare (repeat 40000 "1 - 2 ") "1.0.0" }}`,
		"a search of a long text":   `{{ regexMatch (print (repeat 300 "(a|b)*c?") "z$") (repeat 4000000 "ab") }}`,
		"a long pattern":            `{{ regexMatch (repeat 500000 "(a|b)*c?") "a" }}`,
		"matches of a long text":    `{{ regexFindAll "a" (repeat 3000000 "a") -1 }}`,
		"a repeated pattern":        `{{ regexMatch (repeat 1000 "(a|b){1000}") "a" }}`,
		"long replacements":         `{{ regexReplaceAll "" (repeat 1000000 "ab") (repeat 1000000 "ab") }}`,
		"groups in a replacement":   `{{ regexReplaceAll "(.*)" (repeat 1000000 "ab") (repeat 1000 "$1") }}`,
		"an argument many times":    `{{ printf (repeat 1000000 "%[1]s") (repeat 1000000 "ab") }}`,
		"a list many times":         `{{ printf (repeat 1000000 "%[1]v") (until 100000) }}`,
		"wide fields":               `{{ printf (repeat 80000 "%999999d") 1 }}`,
		"a long separator":          `{{ join (repeat 1000000 "ab") (until 100000) }}`,
		"many different items":      `{{ uniq (until 200000) }}`,
		"many omitted items":        `{{ without (until 100000) ` + strings.Repeat("1 ", 20_000) + `}}`,
		"many pieces":               `{{ split "" (repeat 8000000 "a") }}`,
		"a long key many times":     `{{ $d := dict (repeat 4000000 "ab") 1 }}{{ $l := list $d $d $d $d $d $d $d $d $d $d $d $d }}{{ toYaml $l }}`,
		"deeply nested TOML":        `{{ print "a=" (repeat 4000000 "[") | fromToml }}`,
		"long keys of TOML":         `{{ print (repeat 20000 "a.") "a=1" | fromToml }}`,
		"many long keys of TOML":    `{{ repeat 4000 (print (repeat 1000 "a.") "a=1\n") | fromToml }}`,
		"long TOML":                 `{{ print "a = '" (repeat 1100000 "ab") "'" | fromToml }}`,
		"long YAML":                 `{{ printf "[%sa]" (repeat 3000000 "a,") | fromYamlArray }}`,
		"many certificates":         `{{ range until 2000000 }}{{ $x := genCA "a" 1 }}{{ end }}`,
		"copies of a list":          `{{ $l := until 1000000 }}{{ range until 100000 }}{{ $x := first $l }}{{ end }}`,
		"configurations of files":   `{{ range until 100000 }}{{ $x := $.Files.AsConfig }}{{ end }}`,
		"lines of files":            `{{ range until 100000 }}{{ if ($.Files.Glob "*").Lines "big.txt" }}{{ end }}{{ end }}`,
		"comparisons":               `{{ $x := repeat 8000000 "a" }}{{ $y := print $x "b" | trunc 8000000 }}{{ range until 1000000 }}{{ if eq $x $y $y $y }}{{ end }}{{ end }}`,
		"layouts of a time":         `{{ $x := repeat 800000 ".999999999" }}{{ range until 1000000 }}{{ $y := now.Format $x }}{{ end }}`,
		"texts of a version":        `{{ $x := semver (print "1.0.0+" (repeat 7000000 "a")) }}{{ range until 1000000 }}{{ $y := $x.String }}{{ end }}`,
		"many factors":              `{{ mulf ` + strings.Repeat("1e-307 ", 5000) + `}}`,
		"numbers in long texts":     `{{ $x := repeat 8000000 "a" }}{{ range until 1000000 }}{{ $y := int $x }}{{ end }}`,
		"aliases":                   `{{ $x := print "x: &x " (repeat 30000 "z") "\na: [" (repeat 1000 "*x, ") "*x]" }}{{ fromYaml $x }}`,
		"reads of a file in a loop": `{{ range until 1000000 }}{{ with $.Files.Get "big.txt" }}{{ end }}{{ end }}`,
	} {
		t.Run(name, func(t *testing.T) {
			files := append(template1("a: 1\n"+text), File{"big.txt", strings.Repeat("a", 2_000_000)})
			r := Render("a", files, Options{Kubernetes: 34})
			if len(r.Violations) != 1 || len(r.Outputs) > 0 {
				t.Fatalf("have %v", r.Violations)
			}
			isRejectedByHelm := name == "ranges of versions"
			if v := r.Violations[0]; (v.Rule == diag.ReaderLimit) == isRejectedByHelm {
				t.Errorf("have %s: %s", v.Rule, v.Message)
			}
		})
	}
}

// What charts do stays far below the limits.
func TestUsualCallsAreBelowTheLimits(t *testing.T) {
	text := `{{ range until 1000 }}
- {{ regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$" "example.com" }}
- {{ printf "%[1]s-%03d-%[1]s" "a" . }} {{ join ", " (list 1 2 3) }} {{ until 3 | uniq | toJson }} {{ untilStep 3 0 -1 }} {{ until -2 }}
- {{ semverCompare ">=1.19-0 <2 || 3 - 4" "1.25.0" }} {{ now.Format "2006-01-02" }} {{ eq "a" "b" "c" }} {{ mulf 1.5 2 3 }} {{ $.Files.Get "a.txt" }} {{ split "." "a.b" }} {{ $.Files.Glob "*.txt" | len }}
{{ end }}{{ repeat 20000 "ab: {c: [1, 2]}\n" | fromYaml }}{{ ($.Files.Glob "*").AsConfig }}`
	r := Render("a", append(template1(text), File{"a.txt", strings.Repeat("a", 1000)}), Options{Kubernetes: 34})
	if len(r.Violations) > 0 {
		t.Error(r.Violations[0].Message)
	}
}

// Archives that contain two others each would be millions of charts.
func TestArchivesInArchivesHaveTheLimitsOfOneChart(t *testing.T) {
	files := []File{{"Chart.yaml", metadata}}
	for range 20 {
		packed := string(pack(t, "a", files))
		files = []File{{"Chart.yaml", metadata}, {"charts/a.tgz", packed}, {"charts/b.tgz", packed}}
	}
	r := Render("a", files, Options{Kubernetes: 34})
	if len(r.Violations) != 1 || !strings.Contains(r.Violations[0].Message,
		"the archives of the chart have too many files") {
		t.Errorf("have %v", r.Violations)
	}
}

// Two imports of one table cannot make it contain itself, and the number of imported values is limited.
func TestImportedValuesAreCopies(t *testing.T) {
	for imports, want := range map[string]int{
		`[{child: data, parent: x}, {child: data, parent: x.y}]`:                     0,
		`[` + strings.Repeat(`{child: data, parent: x}, `, maxImported/1000+1) + `]`: 1,
	} {
		r := Render("a", []File{
			{
				"Chart.yaml",
				metadata + "\ndependencies:\n- {name: sub, version: 1.0.0, repository: '', import-values: " + imports + "}\n",
			},
			{"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0"},
			{"charts/sub/values.yaml", "data: {a: [" + strings.Repeat("1, ", 1000) + "]}"},
		}, Options{Kubernetes: 34})
		if len(r.Violations) != want {
			t.Errorf("%.60s: have %v", imports, r.Violations)
		}
	}
}

// Each nested call of tpl keeps a copy of all templates in memory, so their number is limited.
func TestCallsOfTplAreNestedToALimit(t *testing.T) {
	for nested, want := range map[int]int{engine.MaxNestedTpl: 0, engine.MaxNestedTpl + 1: 1} {
		text := `{{ $t := "{{ if gt (int .n) 1 }}{{ tpl .t (dict \"t\" .t \"n\" (sub .n 1)) }}{{ end }}" }}` +
			`{{ tpl $t (dict "t" $t "n" ` + strconv.Itoa(nested) + `) }}`
		r := Render("a", template1(text), Options{Kubernetes: 34})
		if len(r.Violations) != want || want > 0 && !strings.HasPrefix(r.Violations[0].Message, "the templates are nested too deeply") {
			t.Errorf("%d nested calls: have %v", nested, r.Violations)
		}
	}
}

func TestWhatDiffersFromRunToRunIsFixed(t *testing.T) {
	text := `{{ now }} {{ now | date "2006" }} {{ randAlphaNum 5 }} {{ uuidv4 }} {{ (genCA "a" 1).Cert }} {{ (genSelfSignedCert "a" nil nil 1).Key }}
{{ $ca := genCA "b" 1 }}{{ (genSignedCert "c" (list "1.2.3.4") (list "a.b") 365 $ca).Cert }} {{ htpasswd "a" "b" }} {{ bcrypt "a" }} {{ randInt 3 9 }}
{{ keys (dict "c" 1 "a" 2 "b" 3) }} {{ values (dict "c" 1 "a" 2) }} {{ genPrivateKey "rsa" }} {{ getHostByName "example.com" }} {{ shuffle "abc" }}
{{ randBytes 4 }} {{ derivePassword 1 "long" "a" "b" "c" }} {{ encryptAES "k" "v" }} {{ ago now }} {{ lookup "v1" "Pod" "a" "b" }}`
	var first string
	for range 3 {
		r := Render("a", template1(text), Options{Kubernetes: 34})
		if len(r.Violations) > 0 {
			t.Fatal(r.Violations[0].Message)
		}
		have := r.Outputs[0].Source.Text
		if first != "" && have != first {
			t.Errorf("have %s\nwant %s", have, first)
		}
		first = have
	}
	for _, part := range []string{"2024-01-01 00:00:00", "BEGIN CERTIFICATE", "BEGIN PRIVATE KEY", "[a b c]", "abcde"} {
		if !strings.Contains(first, part) {
			t.Errorf("%q not found in %s", part, first)
		}
	}
}
