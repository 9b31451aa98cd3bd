package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// The table lists each place where upstream's validation makes an error. What kindvet does there, the tests of
// internal/test/parity find out.
func TestErrorSitesAreThoseOfUpstream(t *testing.T) {
	sites, err := ScanSites(moduleDir(t, sitesKubernetes), moduleDir(t, sitesMachinery))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "sites.tsv")
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	older, err := parity.ReadSites(string(text))
	if err != nil {
		t.Fatal(err)
	}
	KeepStates(sites, older)
	if *update {
		if err := os.WriteFile(file, []byte(parity.WriteSites(sites)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !*update && !slices.EqualFunc(sites, older,
		func(a, b parity.ErrorSite) bool { return a.Name() == b.Name() && a.Type == b.Type }) {
		t.Errorf("%s does not list the sites of upstream; run 'go test . -run ErrorSites -update'", file)
	}
}

const sitesKubernetes, sitesMachinery = "k8s.io/kubernetes", "k8s.io/apimachinery"

// moduleDir returns the directory of a module that go.mod requires.
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
	have := scan("a.go", []byte(text))
	want := []parity.ErrorSite{
		{File: "a.go", Line: 2, Function: "validate", Type: "Invalid", State: "open"},
		{File: "a.go", Line: 4, Function: "validate", Type: "NotSupported", State: "open"},
		{File: "a.go", Line: 4, Function: "validate", Type: "TooLong", State: "open"},
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %v\nwant %v", have, want)
	}
}

// A site that moved keeps its state. Where a function got another error of the same type, nobody knows which is new.
func TestMovedSitesKeepTheirStates(t *testing.T) {
	older := []parity.ErrorSite{
		{File: "a.go", Line: 2, Function: "a", Type: "Invalid", State: "left out", Note: "status only"},
		{File: "a.go", Line: 3, Function: "a", Type: "Required", State: "seen", Note: "missing"},
		{File: "a.go", Line: 4, Function: "a", Type: "Invalid", State: "seen", Note: "bad"},
		{File: "b.go", Line: 4, Function: "b", Type: "Invalid", State: "seen"},
	}
	sites := []parity.ErrorSite{
		{File: "a.go", Line: 4, Function: "a", Type: "Invalid", State: "open"},
		{File: "a.go", Line: 5, Function: "a", Type: "Required", State: "open"},
		{File: "a.go", Line: 7, Function: "a", Type: "Invalid", State: "open"},
		{File: "b.go", Line: 4, Function: "b", Type: "Invalid", State: "open"},
		{File: "b.go", Line: 5, Function: "b", Type: "Invalid", State: "open"},
	}
	KeepStates(sites, older)
	var states []string
	for _, s := range sites {
		states = append(states, s.State+": "+s.Note)
	}
	if want := []string{"left out: status only", "seen: missing", "seen: bad", "open: ", "open: "}; !slices.Equal(states, want) {
		t.Errorf("have %q, want %q", states, want)
	}
}
