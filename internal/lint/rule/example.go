package rule

import (
	"path/filepath"
	"strings"
)

// Examples are next to the rule file. Their names start with these words. The others are updates of OldExample. FixedExample
// is BadExample after the fixes of the rule.
const (
	BadExample   = "bad"
	GoodExample  = "good"
	OldExample   = "old"
	FixedExample = "fixed"
)

// IsExample reports whether a file in a rule's directory is an example: its name is that of an example, optionally
// followed by a hyphen and more text.
func IsExample(name string) bool {
	start, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "-")
	return start == BadExample || start == GoodExample || start == OldExample || start == FixedExample
}
