// Package example runs the examples that are next to lint rules.
//
// bad.yaml has a comment "# want RULE" on each line that the rule marks. good.yaml has no such comment for the rule.
// If the rule has fixes, fixed.yaml is bad.yaml without these comments, after the first fix of each finding.
// If there is an old.yaml next to them, both are updates of its contents. An example for a rule about sets of files
// has additional files, such as bad-other.yaml. good.yaml contains the near misses, to show that the rule does not
// flag too much.
package example

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/settings"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
	"github.com/kindvet/kindvet/rules"
)

// Outcome is the result of running the examples of one rule.
type Outcome struct {
	// Rule is the rule's id, File its file.
	Rule diag.Rule
	File string
	// Faults describe what is wrong, each with its file and, if known, its line.
	Faults []string
}

// Run runs the examples of all rules in and below a directory. It returns an error if no rule could be read.
func Run(ctx context.Context, base find.Base, dir string) ([]Outcome, error) {
	files, err := ruleFiles(base, dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no %s below %s", RuleFile, dir)
	}
	var outcomes []Outcome
	for _, file := range files {
		outcomes = append(outcomes, runRule(ctx, base, file))
	}
	return outcomes, nil
}

// ruleFiles returns the names of the rule files in and below a directory.
func ruleFiles(base find.Base, dir string) (files []string, err error) {
	root := base.Abs(dir)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(dir)
		if below, ok := find.Below(root, path); ok {
			name = filepath.ToSlash(filepath.Join(dir, below))
		}
		if of, ok := err.(*fs.PathError); ok {
			return &fs.PathError{Op: of.Op, Path: name, Err: of.Err}
		}
		if err == nil && !d.IsDir() && d.Name() == RuleFile {
			files = append(files, name)
		}
		return err
	})
	return files, err
}

// RuleFile is the name of the file in a rule's directory that defines the rule.
const RuleFile = "rule.yaml"

func runRule(ctx context.Context, base find.Base, file string) Outcome {
	o := Outcome{Rule: diag.Rule(path.Dir(file)), File: file}
	rules, violations, err := settings.ReadRules(base, []string{file})
	if err != nil {
		o.Faults = append(o.Faults, err.Error())
	}
	for _, v := range violations {
		o.Faults = append(o.Faults,
			fmt.Sprintf("%s:%d:%d: %s", v.Place.File, v.Place.Start().Line, v.Place.Start().Column, v.Message))
	}
	if len(rules) != 1 {
		return o
	}
	o.Rule = rules[0].ID
	for _, sort := range []string{rule.BadExample, rule.GoodExample} {
		o.Faults = append(o.Faults, runExample(ctx, base, rules[0], path.Dir(file), sort)...)
	}
	o.Faults = append(o.Faults, runFixed(ctx, base, rules[0], path.Dir(file))...)
	return o
}

// runExample runs the bad or the good example of a rule with only that rule.
func runExample(ctx context.Context, base find.Base, r *rule.Rule, dir, sort string) []string {
	files := Files(base, dir, sort)
	if len(files) == 0 {
		return []string{path.Join(dir, sort+".yaml") + ": missing; a rule needs an example that fails and one that passes"}
	}
	want, err := Wanted(base, files)
	if err != nil {
		return []string{err.Error()}
	}
	want = slices.DeleteFunc(want, func(m Mark) bool {
		_, isStructural := diag.Structural(m.Rule) // it is not a lint rule, so it is found as well
		return m.Rule != r.ID && !isStructural
	})
	found, faults := Found(ctx, base, files, rule.Options{Own: []*rule.Rule{r}, Params: r.ExampleParams})
	if len(want) == 0 && sort == rule.BadExample {
		faults = append(faults, fmt.Sprintf("%s: no line has a comment '# want %s'", files[0], r.ID))
	}
	return append(faults, Compare(found, want)...)
}

// Files returns the files of the bad or the good example in a rule's directory: bad.yaml and, for rules about sets
// of files, bad-NAME.yaml.
func Files(base find.Base, dir, sort string) (files []string) {
	entries, err := base.Tree.ReadDir(base.Abs(dir))
	if err != nil {
		return nil
	}
	for _, d := range entries {
		if strings.HasPrefix(d.Name(), sort) && filepath.Ext(d.Name()) == ".yaml" && rule.IsExample(d.Name()) {
			files = append(files, filepath.ToSlash(filepath.Join(dir, d.Name())))
		}
	}
	return files
}

// Mark is a line of a file and a rule that is violated there.
type Mark struct {
	File string
	Line int
	Rule diag.Rule
}

// Wanted reads the marks that files want from their comments "# want RULE RULE".
func Wanted(base find.Base, files []string) ([]Mark, error) {
	var marks []Mark
	for _, file := range files {
		src, err := base.Read(file, disk.Rules)
		if err != nil {
			return nil, err
		}
		number := 0
		for line := range strings.Lines(src.Text) {
			number++
			if _, wants, ok := strings.Cut(line, "# want "); ok {
				for _, rule := range strings.Fields(wants) {
					marks = append(marks, Mark{file, number, diag.Rule(rule)})
				}
			}
		}
	}
	return marks, nil
}

// Found checks files as one set and returns the marks of the violations. Rules that could not be evaluated are
// faults.
func Found(ctx context.Context, base find.Base, files []string, o rule.Options) (marks []Mark, faults []string) {
	report, err := checkFiles(ctx, base, files, o)
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, v := range report.Violations {
		marks = append(marks, Mark{v.Place.File, v.Place.Start().Line, v.Rule})
	}
	for _, n := range report.NotEvaluated {
		faults = append(faults,
			fmt.Sprintf("%s:%d: %s could not be evaluated: %s", n.Place.File, n.Place.Start().Line, n.Rule, n.Reason))
	}
	return marks, faults
}

// checkFiles checks the files of one directory.
func checkFiles(ctx context.Context, base find.Base, files []string, o rule.Options) (diag.Report, error) {
	texts, err := readAll(base, files)
	if err != nil {
		return diag.Report{}, err
	}
	return checkTexts(ctx, base, texts, o)
}

func readAll(base find.Base, files []string) (texts []*source.Source, err error) {
	for _, file := range files {
		src, err := base.Read(file, disk.Rules)
		if err != nil {
			return nil, err
		}
		texts = append(texts, src)
	}
	return texts, nil
}

// checkTexts checks texts of one directory as an update of its old objects, with the configuration that applies there.
func checkTexts(ctx context.Context, base find.Base, texts []*source.Source, o rule.Options) (diag.Report, error) {
	finder, err := find.New(find.Options{Base: base})
	if err != nil {
		return diag.Report{}, err
	}
	dir := filepath.Dir(texts[0].Name)
	c, err := finder.ConfigAt(base.Abs(dir))
	if err != nil {
		return diag.Report{}, err
	}
	resolver := settings.NewResolver(base, settings.Options{Lint: o})
	resolved, err := resolver.Resolve(c)
	if err != nil {
		return diag.Report{}, err
	}
	options := check.Options{UnknownKinds: check.Skip}
	switch old, err := base.Read(filepath.Join(dir, rule.OldExample+".yaml"), disk.OldObjects); {
	case err == nil:
		options.Old = check.NewOldObjects()
		options.Old.Add(old.Name, old.Text)
	case !errors.Is(err, fs.ErrNotExist):
		return diag.Report{}, err
	}
	report, list := resolved.Engine(options).Texts(texts)
	resolver.Suppress(&report, list, suppress.Settings{})
	return report, ctx.Err()
}

// Compare describes the differences between two lists of marks.
func Compare(have, want []Mark) []string {
	var faults []string
	for _, m := range missing(want, have) {
		faults = append(faults, fmt.Sprintf("%s:%d: %s: expected, but not found", m.File, m.Line, m.Rule))
	}
	for _, m := range missing(have, want) {
		faults = append(faults, fmt.Sprintf("%s:%d: %s: found, but not expected", m.File, m.Line, m.Rule))
	}
	return faults
}

// missing returns the marks of a that are not in b. A mark that occurs several times in a must occur as often in b.
func missing(a, b []Mark) []Mark {
	left := slices.Clone(b)
	var list []Mark
	for _, m := range a {
		if i := slices.Index(left, m); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		list = append(list, m)
	}
	return list
}

// Texts returns the texts of a rule's bad or good example, sorted by name, and the text of which they are an
// update, or "" if there is none. A rule without examples has no texts.
func Texts(base find.Base, r *rule.Rule, sort string) (texts []*source.Source, old string, err error) {
	names, read := examplesOf(base, r)
	for _, name := range names {
		isOld := name == rule.OldExample+".yaml"
		if !isOld && !strings.HasPrefix(name, sort) {
			continue
		}
		src, err := read(name)
		if err != nil {
			return nil, "", err
		}
		if isOld {
			old = src.Text
		} else {
			texts = append(texts, &source.Source{Name: name, Text: src.Text})
		}
	}
	return texts, old, nil
}

// examplesOf returns the names of the examples of a rule, sorted, and a function that reads one.
func examplesOf(base find.Base, r *rule.Rule) (names []string, read func(name string) (*source.Source, error)) {
	var entries []fs.DirEntry
	if r.Embedded {
		dir := path.Dir(r.File)
		entries, _ = rules.Lint.ReadDir(dir)
		read = func(name string) (*source.Source, error) {
			text, err := rules.Lint.ReadFile(path.Join(dir, name))
			return &source.Source{Text: string(text)}, err
		}
	} else {
		dir := filepath.Dir(r.File)
		entries, _ = base.Tree.ReadDir(base.Abs(dir))
		read = func(name string) (*source.Source, error) { return base.Read(filepath.Join(dir, name), disk.Rules) }
	}
	for _, d := range entries {
		if filepath.Ext(d.Name()) == ".yaml" && rule.IsExample(d.Name()) {
			names = append(names, d.Name())
		}
	}
	return names, read
}

// Check checks texts as one set of files, with one rule and the kinds of a registry. If old is not "", the texts
// are an update of the objects in old.
func Check(registry *catalog.Catalog, r *rule.Rule, texts []*source.Source, old string) (diag.Report, error) {
	set, err := lint.New(rule.Options{Own: []*rule.Rule{r}, Params: r.ExampleParams})
	if err != nil {
		return diag.Report{}, err
	}
	o := check.Options{Catalog: registry, Rules: set, UnknownKinds: check.Skip}
	if old != "" {
		o.Old = check.NewOldObjects()
		o.Old.Add(rule.OldExample, old)
	}
	report, _ := check.New(o).Texts(texts)
	return report, nil
}

// WithoutMarks returns the text of an example without its "# want" comments.
func WithoutMarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if before, _, ok := strings.Cut(line, " # want "); ok {
			line = before + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
