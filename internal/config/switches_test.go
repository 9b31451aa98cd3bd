package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

// The number of feature gates and APIs is limited, because each is compared with all known ones.
func TestTheNumberOfSwitchesIsLimited(t *testing.T) {
	for _, key := range []string{featureGates, apis} {
		for count, isRejected := range map[int]bool{500: false, 501: true} {
			var text strings.Builder
			text.WriteString(key + ":\n")
			for i := range count {
				name := fmt.Sprintf("Zq%06d", i)
				if key == apis {
					name = "batch/v1/jobs"
					if i > 0 {
						name = fmt.Sprintf("batch/v1/jobs%d", i)
					}
				}
				text.WriteString("  " + name + ": true\n")
			}
			_, violations := Parse(&source.Source{Name: ".kindvet.yaml", Text: text.String()})
			isTooMany := len(violations) == 1 && strings.HasPrefix(violations[0].Message, "must have at most 500 fields")
			if isTooMany != isRejected {
				t.Errorf("%d of %s: %d violations", count, key, len(violations))
			}
		}
	}
}

// A misspelled gate and an unknown API are violations at their keys, also the second one.
func TestUnknownSwitches(t *testing.T) {
	text := "featureGates: {HPAScaleToZero: true, HPAScaleToZer: true}\napis: {batch/v1: false, batch/v7: true}\n"
	_, violations := Parse(&source.Source{Name: ".kindvet.yaml", Text: text})
	var have []string
	for _, v := range violations {
		have = append(have, fmt.Sprintf("%d:%d %s", v.Place.Start().Line, v.Place.Start().Column, v.Message))
	}
	want := `1:38 unknown feature gate "HPAScaleToZer"` + "\n" + `2:25 unknown API "batch/v7"`
	if strings.Join(have, "\n") != want {
		t.Errorf("have %q", have)
	}
}
