package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/parity"
)

// leftOutAtMost is the share of the error sites that kindvet may leave out, in percent.
const leftOutAtMost = 5

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
	if !*update && !slices.EqualFunc(sites, older, func(a, b ErrorSite) bool { return a.Name() == b.Name() && a.Type == b.Type }) {
		t.Errorf("%s does not list the sites of upstream; run 'go test . -run ErrorSites -update'", file)
	}
	if 100*count["left out"] > leftOutAtMost*len(sites) {
		t.Errorf("%d of %d sites are left out", count["left out"], len(sites))
	}
	t.Logf("%d sites: %v", len(sites), count)
}

// markSeen sets the state of the sites that recorded cases reach.
func markSeen(sites []ErrorSite, cases []parity.Case) {
	reached := map[string][]parity.Case{}
	for _, c := range cases {
		for _, site := range c.Sites {
			reached[site] = append(reached[site], c)
		}
	}
	for i, s := range sites {
		for _, c := range reached[s.Name()] {
			ours := parity.CheckBuiltin(c.Request)
			if message, ok := nearest(c, ours); ok {
				sites[i].State, sites[i].Note = "seen", message
				break
			}
			if sites[i].State != "left out" {
				sites[i].State, sites[i].Note = "missed", c.Kind
			}
		}
	}
}

// nearest returns the message of the error that is nearest to the fields of the server.
func nearest(c parity.Case, ours []diag.Violation) (message string, ok bool) {
	best := parity.Elsewhere
	for _, v := range ours {
		if v.Severity != diag.Error {
			continue
		}
		if place := parity.BuiltinPlace(c, []diag.Violation{v}); place > best {
			best, message, ok = place, v.Message, true
		}
	}
	return message, ok
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
	want := SitesHeader + "a.go\t2\tvalidate\tInvalid\topen\t\na.go\t4\tvalidate\tNotSupported\topen\t\na.go\t4\tvalidate\tTooLong\topen\t\n"
	if have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	again, err := ReadSites(have)
	if err != nil || WriteSites(again) != want {
		t.Errorf("read back: %v, %v", again, err)
	}
	older := slices.Clone(again)
	older[0].State, older[0].Note, older[1].State = "left out", "status only", "seen"
	if KeepNotes(again, older); again[0].State != "left out" || again[0].Note != "status only" || again[1].State != "open" {
		t.Errorf("have %v", again)
	}
}
