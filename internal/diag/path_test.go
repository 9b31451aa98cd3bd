package diag

import (
	"strings"
	"testing"
)

func TestAPathIsWrittenAsAUserWritesIt(t *testing.T) {
	long := strings.Repeat("k", longestKey)
	for _, c := range []struct {
		path Path
		want string
	}{
		{nil, ""},
		{Fields("spec"), "spec"},
		{Fields("spec", "ports").Item(0).Field("port"), "spec.ports[0].port"},
		{Path(nil).Item(2).Item(10), "[2][10]"},
		{Path(nil).Item(2).Field("a"), "[2].a"},
		{Fields("metadata", "labels", "a.b/c"), `metadata.labels["a.b/c"]`},
		{Fields("a.b", "c"), `["a.b"].c`},
		{Fields(""), `[""]`},
		{Fields("größe", `a"b`), `["größe"]["a\"b"]`},
		{Fields("$ref", "x-y_Z9"), "$ref.x-y_Z9"},
		{Fields("doors", Masked, "open"), "doors.(secret).open"},
		{Fields(long), long},
		{Fields(long + "k"), `["` + long + `…"]`},
	} {
		if have := c.path.String(); have != c.want {
			t.Errorf("have %s, want %s", have, c.want)
		}
	}
}

func TestAPathIsNotChangedByOnesThatGoOn(t *testing.T) {
	p := make(Path, 0, 8)
	p = append(p, Fields("a")...)
	b, c, d := p.Field("b"), p.Field("c"), p.Item(3)
	if have := p.String() + " " + b.String() + " " + c.String() + " " + d.String(); have != "a a.b a.c a[3]" {
		t.Errorf("have %s", have)
	}
}

func TestAPathHasAtMost100Steps(t *testing.T) {
	var p Path
	for range 99 {
		p = p.Field("a")
	}
	whole := p.Item(1)
	for _, c := range []struct {
		path Path
		want string
	}{
		{whole, p.String() + "[1]"},
		{whole.Field("b"), p.String() + `["…"]`},
		{whole.Item(2).Field("b").Item(3), p.String() + `["…"]`},
	} {
		if have := c.path.String(); len(c.path) != 100 || have != c.want {
			t.Errorf("have %d steps: %s, want %s", len(c.path), have, c.want)
		}
	}
	if have := whole.String(); have != p.String()+"[1]" {
		t.Errorf("the path that was continued is now %s", have)
	}
}

func TestAPathBelowAnother(t *testing.T) {
	p := Fields("items").Item(1).Field("spec")
	for _, c := range []struct {
		above Path
		want  string
		ok    bool
	}{
		{nil, "items[1].spec", true},
		{Fields("items").Item(1), "spec", true},
		{p, "", true},
		{Fields("items").Item(10), "", false},
		{Fields("items").Item(1).Field("status"), "", false},
		{p.Field("x"), "", false},
	} {
		if have, ok := p.Below(c.above); ok != c.ok || have.String() != c.want {
			t.Errorf("below %s: have %s, %v; want %s, %v", c.above, have, ok, c.want, c.ok)
		}
	}
}
