package builtin

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/test/parity"
)

// sitesOfState is the number of sites in each state of the table. Where a change moves a site to a better state,
// change these numbers, too. No site is missed, open or a rule without a case.
var sitesOfState = map[string]int{"seen": 1200, "elsewhere": 63, "together": 7, "unreachable": 460, "left out": 16}

// The table lists each place where upstream's validation makes an error, and says what kindvet does there.
func TestErrorSitesAreThoseOfUpstream(t *testing.T) {
	sites, err := ScanSites(moduleDir(t, "k8s.io/kubernetes"), moduleDir(t, "k8s.io/apimachinery"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "sites.tsv")
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	older, err := ReadSites(string(text))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := parity.ReadCases(filepath.Join("testdata", "sites.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	KeepNotes(sites, older)
	markSeen(sites, cases)
	if *update {
		if err := os.WriteFile(file, []byte(WriteSites(sites)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	count := map[string]int{}
	for i, s := range sites {
		count[s.State]++
		if !*update && i < len(older) && older[i].State == "seen" && s.State != "seen" {
			t.Errorf("%s: kindvet no longer rejects the recorded case", s.Name())
		}
		if slices.Contains([]string{"unreachable", "left out", "rule"}, s.State) && s.Note == "" {
			t.Errorf("%s: %s without a reason", s.Name(), s.State)
		}
	}
	if !*update && !slices.EqualFunc(sites, older,
		func(a, b ErrorSite) bool { return a.Name() == b.Name() && a.Type == b.Type }) {
		t.Errorf("%s does not list the sites of upstream; run 'go test . -run ErrorSites -update'", file)
	}
	if !maps.Equal(count, sitesOfState) {
		t.Errorf("have %v, want %v", count, sitesOfState)
	}
}

// markSeen sets the state of the sites that recorded cases reach.
func markSeen(sites []ErrorSite, cases []parity.Case) {
	order := []string{"missed", "together", "elsewhere", "seen"}
	reached := map[string]outcome{}
	for _, c := range cases {
		ours := parity.CheckBuiltin(c.Request)
		for _, site := range sitesOf(c) {
			o := outcomeOf(c, site, ours)
			if best, ok := reached[site]; !ok || slices.Index(order, o.state) > slices.Index(order, best.state) {
				reached[site] = o
			}
		}
	}
	for i, s := range sites {
		if o, ok := reached[s.Name()]; ok && (s.State != "left out" || o.state == "seen") {
			sites[i].State, sites[i].Note = o.state, o.note
		}
	}
}

// outcome is what kindvet does at an error site in one case.
type outcome struct{ state, note string }

// outcomeOf compares our errors with the causes that a site made. An error at another field counts only if it is not
// at the field of another site's cause.
func outcomeOf(c parity.Case, site string, ours []diag.Violation) outcome {
	of, others := c, c
	other := func(cause parity.Cause) bool { return cause.Site != site }
	of.Verdict.Causes = slices.DeleteFunc(slices.Clone(c.Verdict.Causes), other)
	others.Verdict.Causes = slices.DeleteFunc(slices.Clone(c.Verdict.Causes),
		func(c parity.Cause) bool { return !other(c) })
	best := parity.Elsewhere
	o := outcome{"missed", c.Kind}
	for _, v := range ours {
		if v.Severity != diag.Error {
			continue
		}
		one := []diag.Violation{v}
		if place := parity.BuiltinPlace(of, one); place > best {
			best, o = place, outcome{"seen", v.Message}
		}
		what := fmt.Sprintf("the server at %s, kindvet at %s: %s", cmp.Or(parity.FieldOf(of.Verdict), "no field"),
			v.Path.String(), v.Message)
		switch near := parity.BuiltinPlace(others, one) > parity.Elsewhere; {
		case !near && (o.state == "missed" || o.state == "together"):
			o = outcome{"elsewhere", what}
		case o.state == "missed":
			o = outcome{"together", what}
		}
	}
	return o
}

func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestSitesAreCallsOfConstructors(t *testing.T) {
	const text = "func (v *x) validate() {\n\tfield.Invalid(a, b, c)\n\t// field.Required(a)\n\tif x { return field.NotSupported[string](a), field.TooLong(b) }\n\tfield.NewPath(a)\n}\n"
	have := WriteSites(scan("a.go", []byte(text)))
	want := SitesHeader +
		"a.go\t2\tvalidate\tInvalid\topen\t\na.go\t4\tvalidate\tNotSupported\topen\t\na.go\t4\tvalidate\tTooLong\topen\t\n"
	if have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	again, err := ReadSites(have)
	if err != nil || WriteSites(again) != want {
		t.Errorf("read back: %v, %v", again, err)
	}
	older := slices.Clone(again)
	older[0].State, older[0].Note, older[1].State = "left out", "status only", "seen"
	if KeepNotes(again, older); again[0].State != "left out" || again[0].Note != "status only" ||
		again[1].State != "open" {
		t.Errorf("have %v", again)
	}
}

func TestNotesOfAnotherVersionAreKept(t *testing.T) {
	older := []ErrorSite{
		{"a.go", 10, "f", "Invalid", "unreachable", "first"},
		{"a.go", 12, "f", "Required", "left out", "only one"},
		{"a.go", 14, "f", "Invalid", "seen", "message"},
		{"a.go", 16, "f", "Invalid", "rule", "third"},
		{"a.go", 30, "g", "Invalid", "unreachable", "of g"},
	}
	sites := []ErrorSite{
		{"a.go", 14, "f", "Invalid", "open", ""},
		{"a.go", 18, "f", "Invalid", "open", ""},
		{"a.go", 20, "f", "Invalid", "open", ""},
		{"a.go", 21, "f", "Required", "open", ""},
		{"a.go", 30, "g", "Invalid", "open", ""}, // a second one in g: which of them is the old one?
		{"a.go", 31, "g", "Invalid", "open", ""},
		{"a.go", 40, "h", "Invalid", "open", ""},
	}
	KeepNotes(sites, older)
	var have []string
	for _, s := range sites {
		have = append(have, s.State+" "+s.Note)
	}
	want := []string{"unreachable first", "open ", "rule third", "left out only one", "open ", "open ", "open "}
	if !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}
