package builtin

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// Each written case is recorded, and the function that its comment names makes an error in it.
func TestWrittenCasesReachTheirFunction(t *testing.T) {
	written, err := ReadWritten(filepath.Join("testdata", "written"))
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := parity.ReadCases(filepath.Join("testdata", "sites.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sites, err := ScanSites(moduleDir(t, sitesKubernetes), moduleDir(t, sitesMachinery))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range written {
		i := slices.IndexFunc(recorded, func(c parity.Case) bool { return c.Request == w.Request && c.Name == w.Name })
		if i < 0 {
			t.Errorf("%s: not recorded; run the command hunt", w.Name)
			continue
		}
		function, _, _ := strings.Cut(w.Name, ": ")
		reached := recorded[i].Sites()
		if !slices.ContainsFunc(sites, func(s parity.ErrorSite) bool {
			return s.Function == function && slices.Contains(reached, s.Name())
		}) {
			t.Errorf("%s: no error of this function, but of %v: %v", w.Name, reached, recorded[i].Verdict)
		}
	}
}

func TestWrittenCasesAreExpanded(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: b", "a: b"},
		{"a: <<3 x>>", "a: xxx"},
		{"a: [<<2 {b#: #},>>]", "a: [{b0: 0},{b1: 1},]"},
		{"a: <<x>>", "a: <<x>>"},
	} {
		if have := expand(c.text); have != c.want {
			t.Errorf("%s: have %s, want %s", c.text, have, c.want)
		}
	}
}
