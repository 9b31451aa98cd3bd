package fix

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// plantedFault is a fault in a chart or in kustomizations that are valid without it: in a file, a text is replaced by another.
type plantedFault struct {
	name, file, good, bad string
	// fixed is what replaces the fault, in fixedIn. "" stands for good, and "-" means that nothing changes.
	fixed, fixedIn string
	isUnsafe       bool
	why            string // why a fix is declined
}

// wantPlanted plants faults into the files of an archive, one at a time, and fixes them. No report may have a finding after it
// that it does not have before.
func wantPlanted(t *testing.T, archive string, faults []plantedFault) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "planted", archive))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range a.Files {
		texts[f.Name] = string(f.Data)
	}
	o := inDir(t, a.Files, ".")
	if result, err := Run(t.Context(), o); err != nil || len(result.Report.Report.Violations) > 0 {
		t.Fatalf("the files are not valid: %v, %v", result.Report.Report.Violations, err)
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			text := texts[f.file]
			if strings.Count(text, f.good) != 1 {
				t.Fatalf("%s has %q %d times", f.file, f.good, strings.Count(text, f.good))
			}
			files := []txtar.File{}
			for _, other := range a.Files {
				if other.Name == f.file {
					other.Data = []byte(strings.Replace(text, f.good, f.bad, 1))
				}
				files = append(files, other)
			}
			o := inDir(t, files, ".")
			o.Unsafe = f.isUnsafe
			result, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			in, want := f.file, strings.Replace(text, f.good, cmpOr(f.fixed, f.good), 1)
			if f.fixedIn != "" {
				in = f.fixedIn
				want = strings.Replace(texts[in], f.good, f.fixed, 1)
			}
			switch {
			case f.fixed == "-":
				if len(result.Changes) > 0 || len(result.Report.Report.Violations) == 0 {
					t.Errorf("changed %v, left %v", result.Changes, result.Report.Report.Violations)
				}
			case len(result.Changes) != 1 || result.Changes[0].Name != in || result.Changes[0].After != want:
				t.Errorf("changed %v, left %v, want %s:\n%s", result.Changes, result.Report.Report.Violations, in, want)
			case len(result.Report.Report.Violations) > 0:
				t.Errorf("left: %v", result.Report.Report.Violations)
			}
			why := ""
			for _, d := range result.Declined {
				why += fmt.Sprintf("%s: %s", d.Finding.Rule, d.Why)
			}
			if why != f.why {
				t.Errorf("declined: have %q, want %q", why, f.why)
			}
		})
	}
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
