package kustomize

import (
	"testing"
)

// A replacement may copy what another one sets if their paths have the same fields, up to an index or a selection.
func TestChainedReplacementsAreCounted(t *testing.T) {
	for _, c := range []struct {
		source, target string
		want           int
	}{
		{"metadata.name", "metadata.name", 1},
		{".metadata.name", "metadata.name", 1},
		{"metadata.name", "metadata", 1},
		{"metadata.annotations.a", "metadata.annotations.[example.com/a]", 1},
		{"metadata.annotations.[a]", "metadata.annotations.b", 1},
		{"spec.ports.0.name", "spec.ports.[name=web].name", 1},
		{"spec.ports.0.name", "spec.ports.-", 1},
		{"metadata.name", "metadata..name", 1},
		{"metadata.name", "metadata. name", 1},
		{"metadata.name", "*.name", 1},
		{"metadata.name", "", 1},
		{"metadata.name", "metadata.annotations.[cert-manager.io/inject-ca-from]", 0},
		{"metadata.namespace", "spec.dnsNames.1", 0},
		{"metadata.name", "metadata.names", 0},
	} {
		l := &layer{replacements: []replacement{{source: c.source, targets: []string{c.target}}}}
		if have := l.chained(); have != c.want {
			t.Errorf("%s to %s: have %d, want %d", c.source, c.target, have, c.want)
		}
	}
}
