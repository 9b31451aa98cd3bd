package catalog

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/rules"
)

var updateLimits = flag.Bool("update-limits", false, "write testdata/limits.tsv, after upstream's code has been compared")

// limits are the keywords of overlays whose values no example has to reach: versions, and what a value may be.
var limits = []string{
	"since", "until", "enumSince", "gateSince", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
	"maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "pattern", "format", "enum", "severity",
}

// Examples and recorded verdicts have few values at the limits of the built-in kinds, and examples are evaluated for the
// version that a rule names. So the limits are recorded: a change must be made twice, and on purpose.
func TestLimitsOfKubernetesAreThoseOfTheRecord(t *testing.T) {
	overlays, err := fs.Glob(rules.Kinds, kubernetesDir+"overlay/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, file := range overlays {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		over, _ := overlay(name)
		list = append(list, limitsIn(over, name)...)
	}
	if len(list) < 500 {
		t.Errorf("only %d limits were found", len(list))
	}
	record := filepath.Join("testdata", "limits.tsv")
	if *updateLimits {
		if err := os.WriteFile(record, []byte(strings.Join(list, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range list {
		if !slices.Contains(want, line) {
			t.Errorf("not in the record: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(list, line) {
			t.Errorf("in the record, but in no overlay: %s", line)
		}
	}
}

// limitsIn returns the limits in a part of an overlay, each with its path. A rule has its message instead of an index.
func limitsIn(n manifest.Node, at string) (list []string) {
	switch n.Type() {
	case manifest.Map:
		for f := range n.Children() {
			if slices.Contains(limits, f.Key()) && n.Key() != "properties" {
				list = append(list, at+"\t"+f.Key()+"\t"+string(f.AppendJSON(nil)))
			} else {
				list = append(list, limitsIn(f, at+"."+f.Key())...)
			}
		}
	case manifest.List:
		for item := range n.Children() {
			if item.Type() != manifest.Map {
				continue
			}
			list = append(list, limitsIn(item, at+"["+item.TextAt("message")+"]")...)
		}
	}
	return list
}
