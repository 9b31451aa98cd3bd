package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// An API server needs minutes for a large exponent, and its request ends without an answer.
func TestQuantitiesWithLargeExponents(t *testing.T) {
	for text, want := range map[string]bool{
		"1e9999": true, "1e-9999": true, "1e+0009999": true, "1e10000": false, "1e-10000": false,
		"1e99999999999999999999": false,
	} {
		if have := IsQuantity(text); have != want {
			t.Errorf("%s: have %v, want %v", text, have, want)
		}
	}
}

// Upstream parses exactly the quantities that are recognized here, apart from exponents that take it too long.
func FuzzQuantitiesAreJudgedAsUpstreamDoes(f *testing.F) {
	for _, text := range []string{
		"", "0", "1", "+1", "-1", "1.5", ".5", "5.", ".", "+", "1Ki", "1ki", "1K", "1k", "1m", "1u", "1n", "1E", "1e", "1e3",
		"1E3", "1e+3", "1e-3", "1e+", "1Ei", "1Zi", "e3", "Ki", "1Gb", "1 Gi", " 1Gi ", "1\t", "1\u00a0", "\u20281", "1.1.1",
		"1_0", "0x10", "1e9999", "1ee", "1Mi1", "m", "-", "Ti", "Pi", "Ei", ".Pi", "0Pi", ".0Ei", "e-9", "e-10", "+e-10",
		".e-10", "1e-10", "1i", "00", "0e0",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if i := strings.IndexAny(text, "eE"); i >= 0 && len(strings.TrimLeft(text[i+1:], "+-0")) > longestExponent-1 {
			return // takes long
		}
		written, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var q resource.Quantity
		want := q.UnmarshalJSON(written) == nil
		if have := IsQuantity(text); have != want {
			t.Errorf("%q: have %v, want %v", text, have, want)
		}
	})
}
