package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/render"
)

// What docs/compatibility.md promises to keep is there: everything that testdata/compatibility.tsv lists. -update adds
// new things; a line is removed by hand, and only in a major version.
func TestWhatIsPromisedIsStillThere(t *testing.T) {
	name := filepath.Join("..", "..", "testdata", "compatibility.tsv")
	text, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	have := promised(t)
	lines := strings.Fields(strings.ReplaceAll(string(text), "\t", "·"))
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "·", "\t")
		if !slices.Contains(have, lines[i]) {
			t.Errorf("%s is not there any longer; docs/compatibility.md promises to keep it", lines[i])
		}
	}
	if *update {
		all := append(lines, have...)
		slices.Sort(all)
		if err := os.WriteFile(name, []byte(strings.Join(slices.Compact(all), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// promised returns a line for everything that does not change: its type and its name.
func promised(t *testing.T) []string {
	t.Helper()
	var list []string
	add := func(kind, name string) { list = append(list, kind+"\t"+name) }
	codes := map[int]string{
		exitOK: "ok", exitViolations: "findings", exitTrouble: "failure", exitInterrupted: "interrupted",
	}
	for code, meaning := range codes {
		add("exit", fmt.Sprintf("%d=%s", code, meaning))
	}
	for _, c := range commands(rootCommand(&Streams{})) {
		path := strings.ReplaceAll(c.CommandPath(), " ", "/")
		add("command", path)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { add("flag", path+"/--"+f.Name) })
	}
	for _, r := range rule.All(nil) {
		add("rule", string(r.ID))
	}
	for _, d := range slices.Concat(diag.Enforced, diag.Bookkeeping, diag.Settings) {
		add("rule", string(d.Rule))
	}
	for _, format := range render.Names() {
		add("format", format)
	}
	for schema, kind := range map[string]string{string(render.ReportSchema): "json", config.JSONSchema(): "key"} {
		var node map[string]any
		if err := json.Unmarshal([]byte(schema), &node); err != nil {
			t.Fatal(err)
		}
		definitions, _ := node["$defs"].(map[string]any)
		for _, name := range schemaFields("", node) {
			add(kind, name)
		}
		for name, d := range definitions {
			for _, field := range schemaFields(name+".", d.(map[string]any)) {
				add(kind, field)
			}
		}
	}
	return list
}

// schemaFields returns the paths of the fields of a JSON Schema.
func schemaFields(prefix string, node map[string]any) []string {
	var list []string
	properties, _ := node["properties"].(map[string]any)
	for name, p := range properties {
		field := p.(map[string]any)
		list = append(list, prefix+name)
		list = append(list, schemaFields(prefix+name+".", field)...)
		if items, ok := field["items"].(map[string]any); ok {
			list = append(list, schemaFields(prefix+name+"[].", items)...)
		}
	}
	return list
}
