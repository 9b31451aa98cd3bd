package example

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

var rulesDir = filepath.Join("..", "..", "rules", "lint")

// here returns the base of the paths of a test.
func here(t *testing.T) find.Base {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return find.OnDisk(dir)
}

func TestEachRuleAloneFindsWhatItsExamplesWant(t *testing.T) {
	if *update {
		writeFixed(t)
	}
	outcomes, err := Run(context.Background(), here(t), rulesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		for _, fault := range o.Faults {
			t.Errorf("%s: %s", o.Rule, fault)
		}
	}
	t.Logf("%d rules", len(outcomes))
}

// writeFixed writes the fixed examples of all rules with fixes.
func writeFixed(t *testing.T) {
	for _, r := range rule.All(nil) {
		if len(r.Fixes) == 0 {
			continue
		}
		bad := Files(here(t), filepath.Join(rulesDir, filepath.FromSlash(string(r.ID))), rule.BadExample)
		texts, _ := Fixed(context.Background(), here(t), r, bad)
		for _, src := range texts {
			if err := os.WriteFile(filepath.FromSlash(fixedName(src.Name)), []byte(src.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// With all rules enabled, a good example has no violations of recommended rules except those that its comments want
// from other rules, and a bad example still has the violations that it wants.
func TestRulesLetTheGoodExamplesOfOthersPass(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(rulesDir, "*", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	embedded := map[diag.Rule]*rule.Rule{}
	var all []string // not the profile all, which also reports references to objects outside of the example
	for _, r := range rule.All(nil) {
		embedded[r.ID], all = r, append(all, string(r.ID))
	}
	for _, dir := range dirs {
		for _, sort := range []string{rule.GoodExample, rule.BadExample} {
			files := Files(here(t), dir, sort)
			want, err := Wanted(here(t), files)
			if err != nil {
				t.Fatal(err)
			}
			have, faults := Found(context.Background(), here(t), files,
				rule.Options{Enable: all, Params: paramsOf(embedded, dir)})
			have = slices.DeleteFunc(have, func(m Mark) bool {
				r, ok := embedded[m.Rule]
				return ok && !r.InProfile("recommended") && !slices.Contains(want, m)
			})
			for _, fault := range append(faults, Compare(have, want)...) {
				if sort == rule.GoodExample || strings.HasSuffix(fault, "not found") {
					t.Error(fault)
				}
			}
		}
	}
}

// paramsOf returns the parameters of the examples in the directory of a rule.
func paramsOf(embedded map[diag.Rule]*rule.Rule, dir string) []rule.Setting {
	id, _ := filepath.Rel(rulesDir, dir)
	return embedded[diag.Rule(filepath.ToSlash(id))].ExampleParams
}

const ruleText = `id: demo/too-many
title: too many replicas
severity: warning
kinds: [Deployment.example.com]
each: spec.replicas
check: self <= 3
message: too many replicas
why: The demonstration cluster is small.
`

func TestFaultsOfExamplesAreNamed(t *testing.T) {
	const deployment = "apiVersion: example.com/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: "
	for name, c := range map[string]struct{ rule, bad, good, want string }{
		"all is well": {ruleText, deployment + "4 # want demo/too-many\n", deployment + "3\n", ""},
		"not found": {
			ruleText, deployment + "3 # want demo/too-many\n", deployment + "3\n",
			"bad.yaml:5: demo/too-many: expected, but not found",
		},
		"not wanted": {
			ruleText, deployment + "4 # want demo/too-many\n", deployment + "5\n",
			"good.yaml:5: demo/too-many: found, but not expected",
		},
		"wants nothing": {
			ruleText, deployment + "3\n", deployment + "3\n", "bad.yaml: no line has a comment '# want demo/too-many'",
		}, "no examples": {ruleText, "", deployment + "3\n", "bad.yaml: missing"},
		"broken rule": {strings.Replace(ruleText, "<= 3", "<=", 1), "x: 1", "x: 1", "rule.yaml:6:15: Syntax error"},
		"cannot be evaluated": {
			ruleText, deployment + "4 # want demo/too-many\n", deployment + "many\n",
			"good.yaml:5: demo/too-many could not be evaluated",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{RuleFile: c.rule, "bad.yaml": c.bad, "good.yaml": c.good} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			outcomes, err := Run(context.Background(), here(t), dir)
			if err != nil {
				t.Fatal(err)
			}
			have := strings.Join(outcomes[0].Faults, "\n")
			if c.want == "" && have != "" || !strings.Contains(have, c.want) {
				t.Errorf("have %q\nwant %q", have, c.want)
			}
		})
	}
}

// Rules may be those of another author, and so are the files next to them.
func TestExamplesOfARuleAreRegularFilesInItsRepository(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("secret.yaml", "secret")
	write("repo/.git/HEAD", "")
	for _, name := range []string{"bad-2.yaml", "bad.yaml", "good.yaml", "old.yaml", "badly.yaml", "bad.json", RuleFile} {
		write("repo/"+name, name)
	}
	base, r := find.OnDisk(filepath.Join(dir, "repo")), &rule.Rule{File: RuleFile}
	texts, old, err := Texts(base, r, rule.BadExample)
	if err != nil || old != "old.yaml" || len(texts) != 2 || texts[0].Text != "bad-2.yaml" ||
		texts[1].Name != "bad.yaml" {
		t.Fatalf("have %v, old %q, %v", texts, old, err)
	}
	if err := os.Symlink(filepath.Join("..", "secret.yaml"), filepath.Join(dir, "repo", "bad-3.yaml")); err != nil {
		t.Skip(err)
	}
	if texts, _, err := Texts(base, r, rule.BadExample); err == nil || len(texts) > 0 {
		t.Errorf("a link out of the repository gives %v", texts)
	}
	if texts, _, err := Texts(base, r, rule.GoodExample); err != nil || len(texts) != 1 {
		t.Errorf("good examples: %v, %v", texts, err)
	}
}
