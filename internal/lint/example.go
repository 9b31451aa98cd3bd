package lint

import (
	"path/filepath"
	"strings"
)

// The examples next to a rule, by the start of their files' names. The others are an update of OldExample.
const (
	BadExample  = "bad"
	GoodExample = "good"
	OldExample  = "old"
)

// IsExample reports whether a file in a rule's directory is an example: its name is that of an example, alone or with
// a hyphen and more.
func IsExample(name string) bool {
	start, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "-")
	return start == BadExample || start == GoodExample || start == OldExample
}
