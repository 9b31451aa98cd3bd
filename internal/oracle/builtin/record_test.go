package builtin

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

var update = flag.Bool("update", false, "record the verdicts anew")

// The recorded cases are those that the mutator draws, with the verdicts that the server gives now.
func TestRecordedCasesAreWhatTheServerSays(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "cases.jsonl.gz")
	cases := server(t).Record(mutator(t, 0), 80)
	if *update {
		if err := parity.WriteCases(file, cases); err != nil {
			t.Fatal(err)
		}
	}
	same, err := parity.IsRecord(file, cases)
	if err != nil {
		t.Fatal(err)
	}
	if !same {
		t.Errorf("%s is out of date; run 'go test . -run Recorded -update' in internal/oracle/builtin", file)
	}
	t.Logf("%d cases", len(cases))
}
