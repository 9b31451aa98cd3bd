package planted

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// Faults of many kinds, in accepted objects and all styles of writing: the fixed text is the accepted one, byte for byte,
// whatever the number of workers, and a second run changes nothing. What is not fixed is left byte for byte.
func TestPlantedFaultsAreFixed(t *testing.T) {
	dir := t.TempDir()
	objects, err := Objects(t.Context(), filepath.Join("..", "..", "oracle"), dir)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := NewTrial(objects, dir)
	if err != nil {
		t.Fatal(err)
	}
	for batch := uint64(0); trial.Count() < 3000; batch++ {
		if err := trial.Batch(t.Context(), rand.New(rand.NewPCG(1, batch))); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range trial.Wrong[:min(len(trial.Wrong), 20)] {
		t.Error(wrong)
	}
	t.Log(trial)
}

// The fix of a lint rule makes the same of its example in every style of writing.
func TestExamplesOfRulesAreFixedInEveryStyle(t *testing.T) {
	examples, err := Examples(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, fixed := rand.New(rand.NewPCG(3, 3)), 0
	for _, e := range examples {
		isFixed := false
		for range 6 {
			fixes, wrong := e.Fix(r)
			if wrong != "" {
				t.Error(wrong)
			}
			isFixed = isFixed || fixes > 0
		}
		if isFixed {
			fixed++
		}
	}
	if t.Logf("%d of %d examples", fixed, len(examples)); fixed < 100 {
		t.Error("few examples are fixed")
	}
}
