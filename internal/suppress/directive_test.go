package suppress

import "testing"

func TestACommentThatIsMeantToSuppressIsToldFromProse(t *testing.T) {
	for comment, want := range map[string]bool{
		"kindvet:ignore[rule] reason":              true,
		"kindvet:ignore":                           true,
		"kindvet:ignored":                          true,
		"kindvet:ingore[rule]":                     true,
		"kindvet:disable rule":                     true,
		"kindvet:disable-next-line rule":           true,
		"kindvet:nolint":                           true,
		"kindvet: ignore[rule]":                    true,
		"kindvet : ignore[rule]":                   true,
		"kindvet: skip open-cidr":                  true,
		"kindvet-ignore[rule]":                     true,
		"kindvet-ignore-file[rule]":                true,
		"kindvet-disable":                          true,
		"kindvet - Ignore [rule]":                  true,
		"kindvet ignore[rule]":                     true,
		"kindvet ignore":                           true,
		"kindvet ignore [rule] reason":             true,
		"kindvet disable network/open-cidr":        true,
		"kindvet ignore open-cidr":                 true,
		"kindvet nolint:open-cidr":                 true,
		"kindvet disable-next-line rule":           true,
		"kindvet":                                  false,
		"kindvet is great":                         false,
		"kindvet skips hidden files":               false,
		"kindvet ignores":                          false,
		"kindvet ignore files are at the top":      false,
		"kindvet ignore - see docs":                false,
		"kindvet: see docs/ignore.md":              false,
		"kindvet: skips this file":                 false,
		"kindvet:latest":                           false,
		"kindvet:v1.2.3":                           false,
		"kindvet-system runs the program":          false,
		"kindvet-repo":                             false,
		"kindvet/ignore: rule=reason":              false,
		"kindvet.dev/ignore":                       false,
		"kindvetignore":                            false,
		"kindvet checks [deploy] and [apps]":       false,
		"kindvet - a validator [of manifests]":     false,
		"kindvet: see [docs]":                      false,
		"kindvet: ingore[rule]":                    true,
		"kindvet - [docs](https://example.com)":    false,
		"kindvet --help":                           false,
		"kindvet validate deploy":                  false,
		"kindvet validate --no-suppressions a.yml": false,
	} {
		if have := isAttempt(comment); have != want {
			t.Errorf("%q: have %v, want %v", comment, have, want)
		}
	}
}
