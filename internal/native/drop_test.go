package native

import (
	"strings"
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
			warning, `boxes[0].name: "A" is not a valid short name; use "a" (fix)`,
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
			c.off: sealsOff(),
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

// sealsOff is a server whose gate Seals is off.
func sealsOff() *schema.Compiler {
	return &schema.Compiler{Kubernetes: 31, IsOff: func(gate string) bool { return gate == "Seals" }}
}

// An object that has only a field that the server drops is dropped, too, so it need not be valid.
func TestAnObjectWithoutOtherFieldsIsDropped(t *testing.T) {
	s := nativeType(t, "v1.Crate", sealsOff())
	for fields, want := range map[string]int{
		"lid: {hinge: a}":                  1, // the warning that the field is dropped
		"lid: {hinge: a, size: null}":      1,
		"lid: {hinge: a, size: big}":       1,
		"lid: {hinge: a, size: ''}":        2,
		"lid: {}":                          1,
		"lid: {hinge: null}":               1,
		"lid: {hinge: a}, lid2: {size: a}": 2,
	} {
		root := manifesttest.Root(t, "{apiVersion: v1, kind: Crate, "+fields+"}\n")
		have := Check(root, s, schema.Resource{Native: true, NoMetadata: true}, manifest.Node{})
		if len(have) != want {
			t.Errorf("%s: have %s, want %d", fields, words(have), want)
		}
	}
}

// A field can be dropped from the documents of one kind only, or only from new ones.
func TestAFieldIsDroppedFromSomeDocuments(t *testing.T) {
	const (
		dropped = "the API server drops this field"
		invalid = "must match"
	)
	for _, c := range []struct {
		field, kind string
		isUpdate    bool
		want        string
	}{
		{"stamp", "Crate", false, dropped},
		{"stamp", "Crate", true, dropped},
		{"stamp", "Ship", false, invalid},
		{"label", "Crate", false, dropped},
		{"label", "Ship", false, dropped},
		{"label", "Crate", true, invalid},
	} {
		text := "{apiVersion: v1, kind: " + c.kind + ", " + c.field + ": A}\n"
		r := schema.Resource{Native: true, Kind: c.kind, NoMetadata: true}
		s, old := nativeType(t, "v1.Crate", sealsOff()), manifest.Node{}
		if c.isUpdate {
			old = manifesttest.Root(t, text)
			Prepare(old, s, r)
			if old.At("stamp").Valid() || old.At("label").Valid() {
				t.Errorf("%s: the old object has a field that is dropped from new ones", c.field)
			}
		}
		have := Check(manifesttest.Root(t, text), s, r, old)
		if len(have) != 1 || !strings.Contains(have[0].Message, c.want) {
			t.Errorf("%s of %s, update %v: have %s, want %q", c.field, c.kind, c.isUpdate, words(have), c.want)
		}
	}
}

// An object with a uid is one that the server has stored, so it has the fields that are dropped only from new objects.
func TestAStoredObjectKeepsFieldsThatAreDroppedFromNewOnes(t *testing.T) {
	s, r := nativeType(t, "v1.Crate", sealsOff()), schema.Resource{Native: true, Kind: "Crate"}
	for metadata, want := range map[string]bool{"name: a": false, "name: a, uid: ''": false, "name: a, uid: null": false, "name: a, uid: b": true} {
		old := manifesttest.Root(t, "{apiVersion: v1, kind: Crate, metadata: {"+metadata+"}, stamp: a, label: a}\n")
		Prepare(old, s, r)
		if have := old.At("label").Valid(); have != want || old.At("stamp").Valid() {
			t.Errorf("%s: label is kept: have %v, want %v; stamp never is", metadata, have, want)
		}
	}
}
