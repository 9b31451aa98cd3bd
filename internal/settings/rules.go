package settings

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

// ReadRules reads the rules in the files and directories that the user names. It skips the examples next to them.
func ReadRules(b find.Base, paths []string) (rules []*rule.Rule, violations []diag.Violation, err error) {
	return readRules(b, find.Named(paths), &outside{})
}

func readRules(b find.Base, list []find.Auxiliary, o *outside) (rules []*rule.Rule, violations []diag.Violation,
	err error) {
	var paths []string
	seen := map[string]bool{}
	for _, a := range list {
		paths = append(paths, a.Path)
		b := o.base(b, a)
		files, failures := find.All(b, []string{a.Path})
		if len(failures) > 0 {
			return nil, nil, o.wrap("rules", a, failures[0])
		}
		for _, f := range files {
			if rule.IsExample(filepath.Base(f.Name)) || seen[filepath.Clean(f.Name)] {
				continue
			}
			seen[filepath.Clean(f.Name)] = true
			src, err := f.Source(b.Tree, disk.Rules, a.Private)
			if err != nil {
				return nil, nil, o.wrap("rules", a, err)
			}
			r, vs := rule.Parse(src)
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
