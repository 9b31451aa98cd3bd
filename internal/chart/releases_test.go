package chart

import "testing"

func TestARangeOfReleasesRejectsTheVersionsOfVendors(t *testing.T) {
	for wanted, want := range map[string]bool{
		">= 1.19": true, ">=1.19.0": true, "^1.20": true, "~1.30": true, "1.x": true, ">=1.19.0-0 <1.40": false,
		">= 1.19-0": false, ">=1.19.0-0 <1.40.0-0": false, ">=1.19-0 || ^1.18": false, "*-0": false,
		"<1.10.0":     false, // allows no version that is tried
		"not a range": false, "": false,
	} {
		if have := allowsReleasesOnly(wanted); have != want {
			t.Errorf("%q: have %v, want %v", wanted, have, want)
		}
	}
}

func TestEachCostlyFunctionIsCharged(t *testing.T) {
	// A string of a megabyte a thousand times would take seconds.
	for _, call := range []string{"int $s", "float64 $s", "add1f $s", "round $s 1", "initials $s", "sha512sum $s",
		"nospace $s", "urlParse $s", `split "a" $s`, "lower $s", "max 1 $s"} {
		r := Render("a", template1("{{ $s := repeat 1000000 \"1\" }}{{ range until 1000 }}{{ $x := "+call+" }}{{ end }}"), Options{})
		if !r.IsFailed {
			t.Errorf("%s has no limit", call)
		}
		r = Render("a", template1("{{ $s := repeat 10000 \"1\" }}{{ range until 10 }}{{ $x := "+call+" }}{{ end }}"), Options{})
		if r.IsFailed {
			t.Errorf("%s: a few calls are %s", call, r.Violations[0].Message)
		}
	}
}
