package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
)

// A limit that exists only because of the cost of CEL rules stays in the definition, marked as such. It is left out
// of the JSON Schema for editors.
func TestCostLimitsAreForServersOnly(t *testing.T) {
	known := catalog.Embedded()
	k, _, ok := known.Lookup("networking.platform.cloud", "v1alpha1", "ClusterNetworkPolicy")
	if !ok {
		t.Fatal("no ClusterNetworkPolicy")
	}
	schema, err := JSONSchema(k)
	if err != nil {
		t.Fatal(err)
	}
	if have := strings.Count(string(schema), `"maxItems": 1000`); have != 0 {
		t.Errorf("the JSON Schema has %d limits that no manifest has to keep", have)
	}
	if have := strings.Count(string(schema), `"maxItems": 100`); have != 3 {
		t.Errorf("the JSON Schema has %d limits of the specification, want 3", have)
	}
	var b bytes.Buffer
	if _, err := Definitions(&b, known); err != nil {
		t.Fatal(err)
	}
	oneLine := strings.Join(strings.Fields(b.String()), " ")
	limits, notes := strings.Count(oneLine, "maxItems: 1000 "),
		strings.Count(oneLine, "maxItems is not in the specification")
	if limits == 0 || notes != limits {
		t.Errorf("%d limits for the cost of rules, %d of them said to be kindvet's", limits, notes)
	}
}
