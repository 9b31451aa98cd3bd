package run

import (
	"strings"
	"testing"
)

// A message quotes what it is about, as Go or JSON writes it, and cuts it short where it is long.
func TestSecretsAreMaskedInWhateverFormAMessageHasThem(t *testing.T) {
	m := newMask([]string{"s3cr\"et\n", strings.Repeat("long", 30), "no", "<web>"})
	for text, want := range map[string]string{
		`is "s3cr\"et\n"`:                              `is "(secret)"`,
		"is s3cr\"et\n!":                               "is (secret)!",
		`is {"name":"s3cr\"e…`:                         `is {"name":"(secret)…`,
		"is " + strings.Repeat("long", 20) + "…":       "is (secret)…",
		"is " + strings.Repeat("long", 10) + "lo… etc": "is (secret)… etc",
		`is "\u003cweb\u003e" or <web>`:                `is "(secret)" or (secret)`,
		`none, is "no"`:                                `none, is (secret)`,
		"no":                                           "(secret)",
		"is s3c…, cut after three characters":          "is (secret)…, cut after three characters",
		"is s3…, which two say nothing of":             "is s3…, which two say nothing of",
		"other text… of three dots":                    "other text… of three dots",
		"":                                             "",
	} {
		if have := m.text(text); have != want {
			t.Errorf("%q\n have %q\n want %q", text, have, want)
		}
	}
	if have, want := newMask([]string{"spec", "a.b"}).path(`specs.spec["a.b"].specific`), `specs.(secret)["(secret)"].specific`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
}
