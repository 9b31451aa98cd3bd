package cli

import (
	"regexp"
	"strings"
	"testing"
)

// What is advised instead of the flags of other tools exists, and no flag of kindvet has such a name.
func TestFlagsInPlaceOfThoseOfOtherToolsExist(t *testing.T) {
	root := rootCommand(&Streams{Err: &strings.Builder{}, Out: &strings.Builder{}})
	validate, _, err := root.Find([]string{"validate"})
	if err != nil {
		t.Fatal(err)
	}
	for name, use := range brought {
		if validate.Flags().Lookup(name) != nil {
			t.Errorf("validate has the flag --%s", name)
		}
		for _, m := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(use, -1) {
			if m[1] != "help" && validate.Flags().Lookup(m[1]) == nil {
				t.Errorf("%s: there is no flag --%s", name, m[1])
			}
		}
	}
}
