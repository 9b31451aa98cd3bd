package builtin

import (
	"flag"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/test/parity"
)

var (
	mutate     = flag.Int("mutate", 2000, "how many mutated objects to compare")
	mutateSeed = flag.Uint64("mutate-seed", 1, "where to start drawing")
	listed     = flag.Int("listed", 0, "how many groups of missed rejections to print")
)

func mutator(t *testing.T, start uint64) *Mutator {
	t.Helper()
	m, err := NewMutator(manifests(t), start)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// For objects with changes of shape and meaning, kindvet accepts what the server accepts, and rejects what it cannot
// decode. What only validation rejects is counted.
func TestMutatedObjectsGetTheSameVerdict(t *testing.T) {
	t.Parallel()
	compare(t, *mutate, mutator(t, *mutateSeed).Next)
}

// The same holds for updates, of which there is one for five objects.
func TestMutatedUpdatesGetTheSameVerdict(t *testing.T) {
	t.Parallel()
	compare(t, *mutate/5, mutator(t, *mutateSeed).NextUpdate)
}

// The same holds for updates of live objects that may be invalid.
func TestMutatedLiveObjectsGetTheSameVerdict(t *testing.T) {
	t.Parallel()
	compare(t, *mutate/5, mutator(t, *mutateSeed).NextLive)
}

// compare compares the verdicts on cases that next draws.
func compare(t *testing.T, count int, next func() parity.Case) {
	s, all := server(t), NewComparison()
	cases := make([]parity.Case, 1000)
	ours := make([][]diag.Violation, len(cases))
	panics := 0
	for drawn := 0; drawn < count; drawn += len(cases) {
		cases = cases[:min(len(cases), count-drawn)]
		for i := range cases {
			cases[i] = next()
		}
		each(len(cases), func(i int) {
			cases[i].Verdict = s.Verdict(cases[i].Request)
			ours[i] = parity.CheckBuiltin(cases[i].Request)
		})
		for i, c := range cases {
			if c.Verdict.Stage == "panic" { // such as a Job with successPolicy, completionMode Indexed and no completions
				panics++
			}
			all.Add(c, ours[i])
		}
	}
	groups := all.Groups()
	for _, g := range groups[:min(len(groups), 30)] {
		t.Error(g)
	}
	for name, groups := range map[string][]string{"missed": all.MissedGroups(), "elsewhere": all.ElsewhereGroups()} {
		t.Logf("%s: %d groups, the largest:\n%s", name, len(groups), strings.Join(groups[:min(len(groups), *listed)], "\n"))
	}
	t.Log("by kind\n" + strings.Join(all.Kinds(), "\n"))
	t.Logf("%d groups of differences; the server panics %d times", len(groups), panics)
	t.Log(all.Rates())
}

// each calls f for each index below n, on all processors.
func each(n int, f func(i int)) {
	var workers sync.WaitGroup
	processors := runtime.GOMAXPROCS(0)
	for p := range processors {
		workers.Go(func() {
			for i := p; i < n; i += processors {
				f(i)
			}
		})
	}
	workers.Wait()
}

// Every mutation changes some manifest, and some of the changed manifests are rejected on decoding, some on
// validation, and some are accepted.
func TestMutationsReachEveryStage(t *testing.T) {
	s, m := server(t), mutator(t, 1)
	stages := map[string]int{}
	lists, asJSON := 0, 0
	for range 2000 {
		c := m.Next()
		if parity.IsListKind(c.Kind) {
			lists++
		}
		if c.JSON {
			asJSON++
		}
		stages[s.Verdict(c.Request).Stage]++
	}
	for _, stage := range []string{"", "decode", "strict", "validation"} {
		if stages[stage] < 50 {
			t.Errorf("stage %q: %d of 2000", stage, stages[stage])
		}
	}
	if lists < 50 || asJSON < 200 {
		t.Errorf("%d lists, %d in JSON", lists, asJSON)
	}
	t.Log(stages)
}
