package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// The definition of Event expresses in CEL what the API server checks in Go code. If the specification allows
// something that the server refuses, the row says so.
func TestTheDefinitionOfEventRefusesWhatTheServerRefuses(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "rules", "kinds", "events.platform.io", "events.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := Load(text)
	if err != nil {
		t.Fatal(err)
	}
	const open = true
	é := func(n int) string { return strings.Repeat("é", n) }
	a := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		name   string
		change map[string]any
		open   bool
	}{
		{"nothing is wrong", nil, false},
		{"no eventTime", map[string]any{"eventTime": nil}, false},
		{"eventTime is empty", map[string]any{"eventTime": ""}, false},
		{"eventTime without a fraction", map[string]any{"eventTime": "2026-01-02T03:04:05Z"}, false},
		{"eventTime with three digits", map[string]any{"eventTime": "2026-01-02T03:04:05.123Z"}, false},
		{"eventTime with nine digits", map[string]any{"eventTime": "2026-01-02T03:04:05.123456789Z"}, false},
		{"eventTime with a comma", map[string]any{"eventTime": "2026-01-02T03:04:05,123456Z"}, false},
		{"eventTime with an hour of one digit", map[string]any{"eventTime": "2026-01-02T3:04:05.123456Z"}, false},
		{"eventTime at 24 o'clock", map[string]any{"eventTime": "2026-01-02T24:00:00.000000Z"}, false},
		{"eventTime with a small t", map[string]any{"eventTime": "2026-01-02t03:04:05.123456Z"}, false},
		{"eventTime with a small z", map[string]any{"eventTime": "2026-01-02T03:04:05.123456z"}, false},
		{"eventTime with an offset", map[string]any{"eventTime": "2026-01-02T03:04:05.123456+05:30"}, false},
		{"eventTime with an offset of 24:60", map[string]any{"eventTime": "2026-01-02T03:04:05.123456+24:60"}, false},
		{"eventTime with an offset of 25:00", map[string]any{"eventTime": "2026-01-02T03:04:05.123456+25:00"}, false},
		{"eventTime with an offset without a colon", map[string]any{"eventTime": "2026-01-02T03:04:05.123456+0530"}, false},
		{"eventTime on 29 February of a leap year", map[string]any{"eventTime": "2028-02-29T03:04:05.123456Z"}, false},
		{"eventTime on 29 February of another", map[string]any{"eventTime": "2026-02-29T03:04:05.123456Z"}, false},
		{"eventTime on 29 February 1900", map[string]any{"eventTime": "1900-02-29T03:04:05.123456Z"}, false},
		{"eventTime on 29 February 2000", map[string]any{"eventTime": "2000-02-29T03:04:05.123456Z"}, false},
		{"eventTime on 31 April", map[string]any{"eventTime": "2026-04-31T03:04:05.123456Z"}, false},
		{"eventTime with second 60", map[string]any{"eventTime": "2026-01-02T03:04:60.123456Z"}, false},
		{"eventTime in year 0", map[string]any{"eventTime": "0000-01-02T03:04:05.123456Z"}, false},
		{"eventTime of five digits' year", map[string]any{"eventTime": "10000-01-02T03:04:05.123456Z"}, false},
		{"eventTime ends in a line break", map[string]any{"eventTime": "2026-01-02T03:04:05.123456Z\n"}, false},
		{"eventTime is a number", map[string]any{"eventTime": 5}, false},
		{"eventTime is the zero time", map[string]any{"eventTime": "0001-01-01T00:00:00.000000Z"}, open},
		{"action of 128 bytes", map[string]any{"action": a(128)}, false},
		{"action of 129 bytes", map[string]any{"action": a(129)}, false},
		{"action of 64 characters and 128 bytes", map[string]any{"action": é(64)}, false},
		{"action of 65 characters and 130 bytes", map[string]any{"action": é(65)}, open},
		{"action of 129 characters and 258 bytes", map[string]any{"action": é(129)}, false},
		{"no action", map[string]any{"action": nil}, false},
		{"action is empty", map[string]any{"action": ""}, false},
		{"reason of 65 characters and 130 bytes", map[string]any{"reason": é(65)}, open},
		{"reason is empty", map[string]any{"reason": ""}, false},
		{"reason is a number", map[string]any{"reason": 5}, false},
		{"reportingInstance of 129 bytes", map[string]any{"reportingInstance": a(129)}, false},
		{"no reportingInstance", map[string]any{"reportingInstance": nil}, false},
		{"no reportingController", map[string]any{"reportingController": nil}, false},
		{"reportingController is empty", map[string]any{"reportingController": ""}, false},
		{"reportingController is no qualified name", map[string]any{"reportingController": "a b"}, open},
		{"note of 1024 bytes", map[string]any{"note": a(1024)}, false},
		{"note of 512 characters and 1024 bytes", map[string]any{"note": é(512)}, false},
		{"note of 513 characters and 1026 bytes", map[string]any{"note": é(513)}, false},
		{"no note", map[string]any{"note": nil}, false},
		{"no type", map[string]any{"type": nil}, false},
		{"type is empty", map[string]any{"type": ""}, false},
		{"type is Warning", map[string]any{"type": "Warning"}, false},
		{"type is Error", map[string]any{"type": "Error"}, open},
		{"deprecatedCount is 0", map[string]any{"deprecatedCount": 0}, false},
		{"deprecatedCount is 1", map[string]any{"deprecatedCount": 1}, open},
		{"deprecatedCount beyond 32 bits", map[string]any{"deprecatedCount": 2147483648}, false},
		{"deprecatedFirstTimestamp is set", map[string]any{"deprecatedFirstTimestamp": "2026-01-02T03:04:05Z"}, open},
		{"deprecatedFirstTimestamp is no time", map[string]any{"deprecatedFirstTimestamp": "yesterday"}, false},
		{"deprecatedSource is set", map[string]any{"deprecatedSource": map[string]any{"host": "a"}}, open},
		{"deprecatedSource is empty", map[string]any{"deprecatedSource": map[string]any{}}, false},
		{
			"series of one",
			map[string]any{"series": map[string]any{"count": 1, "lastObservedTime": "2026-01-02T03:04:05.123456Z"}}, open,
		},
		{
			"series of two",
			map[string]any{"series": map[string]any{"count": 2, "lastObservedTime": "2026-01-02T03:04:05.123456Z"}}, false,
		},
		{"series is a list", map[string]any{"series": []any{}}, false},
		{
			"regarding has an unknown field", map[string]any{"regarding": map[string]any{"namespace": "default", "x": 1}}, open,
		},
		{"regarding is a string", map[string]any{"regarding": "x"}, false},
		{
			"a namespace without one of regarding",
			map[string]any{"metadata": map[string]any{"name": "a", "namespace": "shop"}, "regarding": nil}, open,
		},
		{"the name is no subdomain", map[string]any{"metadata": map[string]any{"name": "A"}}, false},
		{"an unknown field", map[string]any{"message": "x"}, false},
	} {
		event := map[string]any{
			"apiVersion": "events.platform.io/v1", "kind": "Event", "metadata": map[string]any{"name": "a"},
			"eventTime": "2026-01-02T03:04:05.123456Z",
			"action":    "Bind", "reason": "Bound", "note": "x", "type": "Normal", "reportingController": "example.com/binder",
			"reportingInstance": "b-1", "regarding": map[string]any{"kind": "Pod", "name": "a", "namespace": "default"},
		}
		for key, value := range c.change {
			if event[key] = value; value == nil {
				delete(event, key)
			}
		}
		text, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		r := parity.Request{New: string(text), JSON: true}
		have, want := kinds["v1"].Verdict(r), EventVerdict(r)
		if c.open && (!have.Accepted || want.Accepted) {
			t.Errorf("%s: the row says that only the server refuses this; have %v, the server %v", c.name, have, want)
		}
		if !c.open && have.Accepted != want.Accepted {
			t.Errorf("%s: have %v, the server %v", c.name, have, want)
		}
	}
}
