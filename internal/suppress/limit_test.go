package suppress

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

func TestATextHasALimitOfSuppressions(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	for name, text := range map[string]func(int) string{
		"comments": func(n int) string { return strings.Repeat("# kindvet:ignore[a] why\n", n) + head },
		"entries":  func(n int) string { return "# kindvet:ignore[" + strings.Repeat("a,", n-1) + "a] why\n" + head },
		"annotation": func(n int) string {
			return head + "  annotations:\n    kindvet/ignore: " + strings.Repeat("a=why;", n) + "\n"
		},
	} {
		for _, over := range []int{0, 1, 2} {
			found, faults := Find(&source.Source{Name: "a.yaml", Text: text(maxSuppressions + over)})
			if len(found) != maxSuppressions || len(faults) != min(over, 1) {
				t.Errorf("%s, %d over the limit: have %d suppressions, %d faults", name, over, len(found), len(faults))
			}
		}
	}
	for name, text := range map[string]string{
		"empty entries": "# kindvet:ignore[" + strings.Repeat(",", 2*maxSuppressions) + "] why\n" + head,
		"no rules":      strings.Repeat("# kindvet:ignore\n", 2*maxSuppressions) + head,
		"bad entries":   head + "  annotations:\n    kindvet/ignore: " + strings.Repeat("a b=c;", 2*maxSuppressions) + "\n",
	} {
		if _, faults := Find(&source.Source{Name: "a.yaml", Text: text}); len(faults) != maxSuppressions+1 {
			t.Errorf("%s: have %d faults, want %d", name, len(faults), maxSuppressions+1)
		}
	}
}

func TestEntriesOfAnAnnotationHaveTheirOwnPlaces(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n" +
		"    kindvet/ignore: \"a=x;" + strings.Repeat(`\u0062=x;`, maxMisses-1) + "z=x; a=y; \\u0063=x; z=y\"\n"
	found, _ := Find(&source.Source{Name: "a.yaml", Text: text})
	value := strings.Index(text, `"a=x`)
	last := len(found) - 1
	for i, want := range map[int]int{
		0: value + 1, 1: value, last - 3: strings.Index(text, "z=x"), last - 2: strings.Index(text, "a=y"),
		last - 1: value, last: value,
	} {
		if have := found[i].Place.Span.Start; have != want {
			t.Errorf("suppression %d: have offset %d, want %d", i, have, want)
		}
	}
}

func TestFaultsHaveALimit(t *testing.T) {
	text := strings.Repeat("# kindvet:ignore[family/fault1] why\n", diag.MaxDescribed+2) + "a: b\n"
	list, _ := Find(&source.Source{Name: "a.yaml", Text: text})
	_, _, faults := Apply(nil, list, Settings{Today: "2027-01-31", Names: diag.NewRuleNames([]diag.Rule{known})})
	if len(faults) != diag.MaxDescribed {
		t.Fatalf("have %d faults, want %d", len(faults), diag.MaxDescribed)
	}
	last := faults[len(faults)-1]
	if faults[0].More != 0 || last.More != 2 || last.Help != "use family/fault" {
		t.Errorf("have %d and %d more, and %q", faults[0].More, last.More, last.Help)
	}
}
