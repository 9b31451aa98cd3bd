package oracle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// The recorded verdicts are those of the server's own handler. Only some of the cases in each file are checked, at
// regular intervals.
func TestRecordedVerdictsAreThoseOfTheHandler(t *testing.T) {
	t.Parallel()
	const every = 5
	for _, d := range definitions(t) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(d.File)))
		if err != nil {
			t.Fatal(err)
		}
		servers := map[bool]*Server{}
		for _, checkStatus := range []bool{false, true} {
			if servers[checkStatus], err = Serve(text, checkStatus); err != nil {
				t.Fatal(err)
			}
		}
		for i, c := range recorded(t, d) {
			if i%every != 0 || c.Exception == "document" || c.Verdict.Stage == "old" || c.Verdict.Stage == "name" {
				continue
			}
			want, err := servers[c.Exception == "status"].Verdict(c.Version, c.Request)
			if err != nil {
				t.Errorf("%s: %s: %v", d.File, c.Name, err)
				continue
			}
			compareVerdicts(t, d.File+": "+c.Name, c.Verdict, want)
		}
	}
}

func compareVerdicts(t *testing.T, name string, have, want parity.Verdict) {
	t.Helper()
	if have.Accepted != want.Accepted {
		t.Errorf("%s: accepted: have %v, the handler %v: %v", name, have.Accepted, want.Accepted, want.Causes)
	}
	if have.Stage == "validation" && want.Stage == "validation" && !slices.Equal(have.Causes, want.Causes) {
		t.Errorf("%s: causes: have %v, the handler %v", name, have.Causes, want.Causes)
	}
}

func recorded(t *testing.T, d *Definition) []parity.Case {
	t.Helper()
	cases, err := parity.ReadCases(filepath.Join("testdata",
		strings.TrimSuffix(filepath.Base(d.File), ".yaml")+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}
