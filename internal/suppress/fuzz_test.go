package suppress

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// For any text, Find returns suppressions and violations that have a rule and a place inside the text.
func FuzzFindGivesPlacesInsideTheText(f *testing.F) {
	for _, text := range []string{
		"a: 1 # kindvet:ignore[a, b until 2027-01-31] c\n# kindvet:ignore-file[d]\n---\n# kindvet:ignore[\nb:\n- {c: d} #kindvet:ignore[]\n",
		"metadata: {annotations: {kindvet/ignore: \"a=b; c until x=d;;=\"}}\n",
		`{"metadata": {"annotations": {"kindvet/ignore": "a"}}}`, "a: |  # kindvet:ignore[a]\n  # kindvet:ignore[b]\n",
		"\ufeff# kindvet:ignore[a]\r\na: \"# kindvet:ignore[b]\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, faults := Find(&source.Source{Name: "a.yaml", Text: text})
		lines := source.CountBreaks([]byte(text), len(text)) + 1
		for _, s := range list {
			if s.Name == "" || s.Place.Start().Line < 1 || s.Place.End().Line > lines {
				t.Errorf("suppression %+v of %d lines", s, lines)
			}
		}
		for _, v := range faults {
			if v.Rule == "" || v.Message == "" || v.Place.Start().Line < 1 || v.Place.End().Line > lines {
				t.Errorf("violation %+v of %d lines", v, lines)
			}
		}
	})
}
