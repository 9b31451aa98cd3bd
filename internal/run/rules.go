package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
)

// ReadRules reads the rules in files and folders that the user names. Examples, which stand beside the rules of a folder, are passed over.
func ReadRules(b find.Base, paths []string) (rules []*lint.Rule, violations []diag.Violation, err error) {
	return readRules(b, find.Named(paths))
}

func readRules(b find.Base, list []find.Auxiliary) (rules []*lint.Rule, violations []diag.Violation, err error) {
	var paths []string
	seen := map[string]bool{}
	for _, a := range list {
		paths = append(paths, a.Path)
		files, failures := find.All(b, []string{a.Path})
		if len(failures) > 0 {
			return nil, nil, fmt.Errorf("rules: %w", failures[0])
		}
		for _, f := range files {
			if lint.IsExample(filepath.Base(f.Name)) || seen[filepath.Clean(f.Name)] {
				continue
			}
			seen[filepath.Clean(f.Name)] = true
			src, err := f.Source(b.Tree, disk.Rules, a.Private)
			if err != nil {
				return nil, nil, fmt.Errorf("rules: %w", err)
			}
			r, vs := lint.ParseRule(src)
			violations = append(violations, vs...)
			if r != nil {
				rules = append(rules, r)
			}
		}
	}
	if len(seen) == 0 && len(list) > 0 {
		return nil, nil, fmt.Errorf("rules: no rule in %s", strings.Join(paths, ", "))
	}
	return rules, violations, nil
}

// ruleNames returns the ids of all rules that there are, and of those that some of the sets leave out.
func (e *engines) ruleNames() (all, idle []diag.Rule) {
	own := slices.Concat(e.options.Lint.Own, e.own)
	if len(e.sets) == 0 {
		return (*lint.Set)(nil).Names(own)
	}
	for _, rules := range e.sets {
		known, left := rules.Names(own)
		all, idle = append(all, known...), append(idle, left...)
	}
	return all, idle
}

// allRuleNames returns the names of all rules, those that a server enforces included.
func (e *engines) allRuleNames() []string {
	var names []string
	for _, d := range slices.Concat(diag.Enforced, diag.Bookkeeping) {
		names = append(names, string(d.Rule))
	}
	lints, _ := e.ruleNames()
	for _, rule := range lints {
		names = append(names, string(rule))
	}
	return names
}
