package podsecurity

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/test/parity"
)

var update = flag.Bool("update", false, "record the verdicts anew")

// The recorded pods are those that the mutator draws, with the verdicts that upstream's code gives now.
func TestRecordedPodsAreWhatUpstreamSays(t *testing.T) {
	file := filepath.Join("testdata", "pods.jsonl.gz")
	pods := standards(t).draw(t, NewMutator(0), 1600)
	if *update {
		if err := parity.WriteCases(file, pods); err != nil {
			t.Fatal(err)
		}
	}
	same, err := parity.IsRecord(file, pods)
	if err != nil {
		t.Fatal(err)
	}
	if !same {
		t.Errorf("%s is out of date; run 'go test . -run Recorded -update' in internal/oracle/podsecurity", file)
	}
}
