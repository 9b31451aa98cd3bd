package native

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

// Nothing is found in an item that the server drops, nor in those that have its name. Paths of others count what is left, as
// those of the server do.
func TestDroppedItemsAreNotValidated(t *testing.T) {
	const (
		warning = `boxes[0].seal: the API server drops this field: the feature gate Seals is off by default; ` +
			`remove it, or enable Seals in the cluster and in featureGates: of .kindvet.yaml`
		tooSmall = "must be at least 1, got 0"
	)
	for _, c := range []struct {
		fields, off, on string
	}{
		{
			"boxes: [{name: A, seal: {name: a}}]",
			warning, `boxes[0].name: "A" is not a valid short name; use at most 63 lowercase letters, digits and hyphens; start and end with a letter or digit`,
		},
		{"boxes: [{name: a, seal: {size: 0}}]", warning, `boxes[0].seal.size: ` + tooSmall + "\n" + `boxes[0].seal.name: required field "name" is missing`},
		{"boxes: [{name: a, seal: null}], marks: [{name: a, size: 0}]", "marks[0].size: " + tooSmall, "marks[0].size: " + tooSmall},
		{
			"boxes: [{name: a, seal: {name: a}}, {name: b, marks: [{name: a, size: 0}, {name: b}]}], marks: [{name: b}, {name: a, size: 0}]",
			warning, "boxes[1].marks[0].size: " + tooSmall + "\nmarks[1].size: " + tooSmall,
		},
		{
			"boxes: [{name: a, seal: {name: a}}], marks: [{name: a, size: 0}, {name: b, size: 0}]",
			warning + "\nmarks[0].size: " + tooSmall, "marks[0].size: " + tooSmall + "\nmarks[1].size: " + tooSmall,
		},
	} {
		for want, compiler := range map[string]*schema.Compiler{
			c.off: {Kubernetes: 31, IsOff: func(gate string) bool { return gate == "Seals" }},
			c.on:  {Kubernetes: 31},
		} {
			root := manifesttest.Root(t, "{apiVersion: v1, kind: Crate, "+c.fields+"}\n")
			s := nativeType(t, "v1.Crate", compiler)
			have := words(Check(root, s, schema.Resource{Native: true, NoMetadata: true}, manifest.Node{}))
			if have != want {
				t.Errorf("%s:\nhave %s\nwant %s", c.fields, have, want)
			}
		}
	}
}

func TestItemsAreDroppedOnlyByServersWithTheirGateOff(t *testing.T) {
	isOff := func(string) bool { return true }
	for minor, want := range map[int]int{30: 0, 31: 1, 0: 1} {
		if have := len(nativeType(t, "v1.Crate", &schema.Compiler{Kubernetes: minor, IsOff: isOff}).Drops); have != want {
			t.Errorf("1.%d: have %d, want %d", minor, have, want)
		}
	}
}
