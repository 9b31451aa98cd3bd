package lint

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

func readRoot(t *testing.T, text string) manifest.Node {
	t.Helper()
	return manifesttest.Root(t, text)
}

// The first bytes of a pattern include everything that a match can start with. A text that matches must not be
// excluded by its first byte.
func TestFirstBytesRuleOutNoMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(?i:yes|no)$`: "yYnN",
		`^["']?Pass`:    `"'P`,
		`^0[0-9]+`:      "0",
		`^[-+]?0x`:      "-+0",
	} {
		have := firstBytes(pattern)
		for b := range 0x80 {
			if have.has(byte(b)) != strings.ContainsRune(want, rune(b)) {
				t.Errorf("%s: %q is wrong", pattern, rune(b))
			}
		}
	}
	for _, pattern := range []string{`yes`, `^$`, `^x?`, `^.*z`, `(^a|b)`} {
		if have := firstBytes(pattern); have != nil {
			t.Errorf("%s can match any text, and is said to start with some bytes only", pattern)
		}
	}
}

// A stream in which every document has a different kind keeps no more than maxPlans plans.
func TestPlansAreBounded(t *testing.T) {
	s := &Set{sets: sets.New(nil, false, false)}
	most := 0
	for i := range 3 * maxPlans {
		s.planOf(planKey{Kind: rule.Kind{Group: "example.com", Name: "Kind" + strconv.Itoa(i)}})
		most = max(most, len(s.plans))
	}
	if most != maxPlans {
		t.Errorf("%d plans are kept, want %d", most, maxPlans)
	}
}

func documentOf(root manifest.Node, group, kind string) *Document {
	return &Document{Document: sets.Document{Root: root, Group: group, Kind: kind}}
}

// newDocument returns a document of the kind that it states.
func newDocument(root manifest.Node) *Document {
	group, _, hasGroup := strings.Cut(root.TextAt("apiVersion"), "/")
	if !hasGroup {
		group = ""
	}
	return documentOf(root, group, root.TextAt("kind"))
}
