package oracle

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/test/parity"
)

var (
	update = flag.Bool("update", false, "record the verdicts anew")
	only   = flag.String("only", "", "record the verdicts of one definition only, such as browsers")
)

// every is the interval at which the variants that apply to any value are recorded. All variants that cross a boundary
// of the schema are recorded.
const every = 8

// The recorded cases under testdata, one file per definition, are those that the generator creates, with the
// verdicts that upstream's code gives now.
func TestRecordedCasesAreVerdictsOfUpstream(t *testing.T) {
	t.Parallel()
	total := 0
	for _, d := range definitions(t) {
		definition := strings.TrimSuffix(filepath.Base(d.File), ".yaml")
		if *only != "" && *only != definition {
			continue
		}
		name := definition + ".jsonl.gz"
		cases := d.Cases(every)
		total += len(cases)
		compareRecord(t, filepath.Join("testdata", name), cases)
	}
	if total == 0 {
		t.Errorf("no definition is called %q", *only)
	}
	t.Logf("%d cases", total)
}

// compareRecord compares cases with the recorded ones, or records them with -update.
func compareRecord(t *testing.T, file string, cases []parity.Case) {
	t.Helper()
	if *update {
		if err := parity.WriteCases(file, cases); err != nil {
			t.Error(err)
		}
		return
	}
	same, err := parity.IsRecord(file, cases)
	if err != nil {
		t.Fatal(err)
	}
	if !same {
		t.Errorf("%s is out of date; run 'go test . -run Recorded -update' in internal/oracle", file)
	}
}
