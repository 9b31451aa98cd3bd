package oracle

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/kindvet/kindvet/internal/test/parity"
)

var (
	mutate     = flag.Int("mutate", 3000, "how many mutated objects to compare")
	mutateSeed = flag.Uint64("mutate-seed", 1, "where to start drawing")
)

var root = filepath.Join("..", "..")

func definitions(t testing.TB) []*Definition {
	t.Helper()
	all, err := Definitions(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// For objects with a few random changes, both sides have the same verdict and the same causes.
func TestMutatedObjectsGetTheSameVerdict(t *testing.T) {
	t.Parallel()
	m := NewMutator(definitions(t), *mutateSeed)
	count(t, func() (*Definition, string, parity.Request) { return m.Next() })
}

// The same holds for objects of randomly generated schemas.
func TestObjectsOfDrawnSchemasGetTheSameVerdict(t *testing.T) {
	t.Parallel()
	seed := *mutateSeed
	var m *Mutator
	n := 0
	count(t, func() (*Definition, string, parity.Request) {
		if n%100 == 0 {
			seed++
			m = NewMutator([]*Definition{Draw(seed)}, seed)
		}
		n++
		return m.Next()
	})
}

func count(t *testing.T, next func() (*Definition, string, parity.Request)) {
	compared, accepted, different := 0, 0, 0
	for drawn := 0; drawn < *mutate && different < 30; drawn++ {
		d, version, r := next()
		c := d.record("mutated", version, r)
		if c.Verdict.Stage == "old" {
			continue // the old object could not have been stored
		}
		compared++
		if c.Verdict.Accepted {
			accepted++
		}
		if diffs := d.Compare(c); len(diffs) > 0 {
			different++
			t.Errorf("%s %s: %v\nnew: %sold: %sstage %s, causes %v\n%s", d.File, version, diffs, r.New, r.Old, c.Verdict.Stage,
				c.Verdict.Causes, d.Text)
		}
	}
	t.Logf("%d compared, %d accepted, %d different", compared, accepted, different)
}

func FuzzMutatedObjectsGetTheSameVerdict(f *testing.F) {
	all := definitions(f)
	f.Add(uint64(1), false)
	f.Add(uint64(2), true)
	f.Fuzz(func(t *testing.T, seed uint64, drawn bool) {
		m := NewMutator(all, seed)
		if drawn {
			m = NewMutator([]*Definition{Draw(seed)}, seed)
		}
		for range 20 {
			d, version, r := m.Next()
			c := d.record("mutated", version, r)
			if c.Verdict.Stage == "old" {
				continue
			}
			if diffs := d.Compare(c); len(diffs) > 0 {
				t.Errorf("%s %s: %v\nnew: %sold: %scauses %v\n%s", d.File, version, diffs, r.New, r.Old, c.Verdict.Causes, d.Text)
			}
		}
	})
}
