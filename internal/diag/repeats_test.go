package diag

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// A template that is rendered twice has one finding at a place, but two places that one rendering leads to are two.
func TestAFindingOfTwoRenderingsIsListedOnce(t *testing.T) {
	template := &source.Source{Name: "t.yaml", Text: "a: {{ .x }}\nb: {{ .y }}\n"}
	other := &source.Source{Name: "u.yaml", Text: "c: d\n"}
	at := func(rendering string, to *source.Source, offset int, message string) Violation {
		src := &source.Source{Name: "t.yaml", Text: "a: 1\nb: 2\n", Rendering: rendering}
		src.Written = func(sp source.Span) source.Origin {
			return source.Origin{Source: to, Span: source.Span{Start: offset, End: offset + 1}}
		}
		v := Violation{Rule: "a/b", Severity: Warning, Message: message, Place: src.Place(source.Span{Start: 3, End: 4})}
		v.Place.Detach()
		return v
	}
	plain := func(offset int) Violation {
		return Violation{Rule: "a/b", Severity: Warning, Message: "same", Place: other.Place(source.Span{Start: offset, End: 5})}
	}
	for _, c := range []struct {
		name string
		list []Violation
		want int
	}{
		{"two renderings", []Violation{at("1", template, 3, "same"), at("2", template, 3, "same")}, 1},
		{"three renderings", []Violation{at("1", template, 3, "same"), at("2", template, 3, "same"), at("3", template, 3, "same")}, 1},
		{"one rendering", []Violation{at("1", template, 3, "same"), at("1", template, 3, "same")}, 2},
		{"another place", []Violation{at("1", template, 3, "same"), at("2", template, 15, "same")}, 2},
		{"another message", []Violation{at("1", template, 3, "same"), at("2", template, 3, "other")}, 2},
		{"a plain file", []Violation{plain(0), plain(0), plain(3)}, 2},
	} {
		r := Report{Violations: c.list}
		r.Summary.Warnings = len(c.list)
		dropped := r.DropRepeats()
		if len(r.Violations) != c.want || len(dropped) != len(c.list)-c.want || r.Summary.Warnings != c.want {
			t.Errorf("%s: %d are listed, %d dropped, %d counted, want %d", c.name, len(r.Violations), len(dropped),
				r.Summary.Warnings, c.want)
		}
	}
}
