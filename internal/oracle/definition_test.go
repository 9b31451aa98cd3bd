package oracle

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// The recorded definitions are those that the .edits files create, with the verdicts that upstream's create
// strategy gives now.
func TestRecordedDefinitionsAreVerdictsOfUpstream(t *testing.T) {
	cases, err := DefinitionCases(root)
	if err != nil {
		t.Fatal(err)
	}
	compareRecord(t, filepath.Join("testdata", "definitions", "cases.jsonl.gz"), cases)
}

// Judging a definition takes longer than judging an object, so there are fewer of them by this factor.
const mutatePerDefinition = 10

// For definitions with a few random changes, both sides have the same verdict and causes at the same places.
func TestMutatedDefinitionsGetTheSameVerdict(t *testing.T) {
	t.Parallel()
	m, err := NewDefinitionMutator(root, *mutateSeed)
	if err != nil {
		t.Fatal(err)
	}
	compared, accepted, different := 0, 0, 0
	for drawn := 0; drawn < *mutate/mutatePerDefinition && different < 20; drawn++ {
		r := m.Next()
		verdict := DefinitionVerdict(r)
		if verdict.Stage == "old" {
			continue // the old definition could not have been created
		}
		compared++
		if verdict.Accepted {
			accepted++
		}
		ours := parity.CheckDefinition(r)
		if diffs := parity.DefinitionDifferences(verdict, ours); len(diffs) > 0 {
			different++
			t.Errorf("%v\nstage %s, causes %v\n%s", diffs, verdict.Stage, verdict.Causes, r.New)
			for _, v := range ours {
				t.Logf("ours: %s: %s [%s]", v.Path, v.Message, v.Rule)
			}
		}
	}
	t.Logf("%d compared, %d accepted, %d different", compared, accepted, different)
}

var definitionsDir = flag.String("definitions", "", "folder of further definitions to compare")

// For all definitions in a folder, both sides have the same verdict.
func TestFoundDefinitionsGetTheSameVerdict(t *testing.T) {
	if *definitionsDir == "" {
		t.Skip("give a folder with -definitions")
	}
	compared, accepted := 0, 0
	err := filepath.WalkDir(*definitionsDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, part := range strings.Split("\n"+string(text), "\n---") {
			if !strings.Contains(part, "\nkind: CustomResourceDefinition") {
				continue
			}
			r := parity.Request{New: part}
			verdict := DefinitionVerdict(r)
			compared++
			if verdict.Accepted {
				accepted++
			}
			if diffs := parity.DefinitionDifferences(verdict, parity.CheckDefinition(r)); len(diffs) > 0 {
				t.Errorf("%s: %v\nstage %s, causes %v", path, diffs, verdict.Stage, verdict.Causes)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d compared, %d accepted", compared, accepted)
}
