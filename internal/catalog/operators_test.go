package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/rules"
)

func TestOperatorsAllowSomethingOfKindsOfKnownProjects(t *testing.T) {
	isKnown := map[string]bool{}
	for _, p := range projects.All() {
		for _, g := range p.Groups {
			for _, kind := range g.Kinds {
				isKnown[kind+"."+g.Name] = true
			}
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(rules.Operators) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 5 || slices.Contains(fields, "") || !strings.HasPrefix(fields[4], "https://") {
			t.Errorf("%q: want five fields, the last a link", line)
			continue
		}
		if !isKnown[fields[0]] {
			t.Errorf("%s is not a kind of a known project", fields[0])
		}
		if key := strings.Join(fields[:3], "\t"); seen[key] {
			t.Errorf("%q is listed twice", key)
		} else {
			seen[key] = true
		}
	}
	if len(seen) == 0 {
		t.Error("no rows")
	}
}
