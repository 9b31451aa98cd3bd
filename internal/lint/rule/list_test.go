package rule

import (
	"slices"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
)

func TestProfilesHoldWhatTheyPromise(t *testing.T) {
	if s, err := Select(Options{Profile: "schema"}); s != nil || err != nil {
		t.Errorf("the profile schema has lint rules, or fails: %v", err)
	}
	ids := func(o Options) []string {
		s, err := Select(o)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, e := range s {
			list = append(list, string(e.ID))
			if o.Profile == "recommended" && len(o.Enable) == 0 && e.Severity < diag.Warning {
				t.Errorf("%s is recommended, and only %s", e.ID, e.Severity)
			}
		}
		return list
	}
	all, recommended, security := ids(Options{Profile: "all"}), ids(Options{Profile: "recommended"}),
		ids(Options{Profile: "security"})
	if len(all) < 80 || len(recommended) >= len(all) || len(security) >= len(recommended) || len(security) == 0 {
		t.Errorf("%d rules, %d recommended, %d of security", len(all), len(recommended), len(security))
	}
	if have := ids(Options{
		Profile: "recommended", Enable: []string{"yaml/null"}, Disable: []string{"binding", "security"},
	}); !slices.Contains(have, "yaml/null") ||
		slices.Contains(have, "binding/bad-arn") || slices.Contains(have, "secret/private-key") {
		t.Errorf("enabled and disabled: %v", have)
	}
}
