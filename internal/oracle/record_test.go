package oracle

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/parity"
)

var (
	update = flag.Bool("update", false, "record the verdicts anew")
	only   = flag.String("only", "", "record the verdicts of one definition only, such as browsers")
)

// every so many of the variants that any value can have are recorded; those that cross a boundary of the schema are recorded all.
const every = 8

// The cases on record under testdata, a file for each definition, are those that the generator makes, with the verdicts that
// upstream's code gives now.
func TestRecordedCasesAreWhatTheJudgeSays(t *testing.T) {
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

// compareRecord compares cases with those on record, or with -update records them.
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
