package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/schema"
)

// The checked forms of the rules are up to date, so no run has to compile their texts. A rule has one form, which is
// checked against the types of the newest version that has it: in an older version, fields may be absent.
func TestCheckedRulesOfKubernetesAreThoseOfTheFiles(t *testing.T) {
	lines := checkedLines{}
	for minor := NewestKubernetes; minor >= OldestKubernetes; minor-- {
		newer := map[string]bool{}
		for hash := range lines {
			newer[hash] = true
		}
		seen := map[*schema.Schema]bool{nil: true}
		for _, e := range slices.Concat(KubernetesKinds(minor), ServerKinds(everything(minor))) {
			for _, k := range e.load().kinds {
				eachBelow(k.Schema, seen, func(s *schema.Schema) {
					if err := lines.add(s, func(text string) bool { return newer[hashOf(text)] }); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
	checkGenerated(t, checkedFile, lines.file())
}

// everything returns a server with all feature gates and API versions.
func everything(minor int) Server {
	gates := map[string]bool{}
	for name := range featureGates() {
		gates[name] = true
	}
	return Server{Minor: minor}.With(gates, map[string]bool{"api/all": true})
}

func TestSearchFindsEachCheckedRule(t *testing.T) {
	for line := range strings.Lines(checkedRules()) {
		hash, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if have, ok := checkedLine(hash); !ok || have != want {
			t.Errorf("%s is not found; the lines must be sorted", hash)
		}
	}
	for _, hash := range []string{"0000000000000000", "8000000000000000", "ffffffffffffffff"} {
		if _, ok := checkedLine(hash); ok {
			t.Errorf("%s is found", hash)
		}
	}
}

// eachBelow visits a schema and all schemas below it that have not been seen.
func eachBelow(s *schema.Schema, seen map[*schema.Schema]bool, visit func(*schema.Schema)) {
	if seen[s] {
		return
	}
	seen[s] = true
	s.Ready()
	if len(s.Rules)+len(s.Each) > 0 {
		visit(s)
	}
	for i := range s.Properties {
		eachBelow(s.Properties[i].Schema, seen, visit)
	}
	eachBelow(s.Items, seen, visit)
	eachBelow(s.Additional, seen, visit)
}
