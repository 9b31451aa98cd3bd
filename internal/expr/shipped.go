package expr

import (
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/schema"
)

// Flat returns the rules of a schema in the flat form, in the order in which Rules.Ship wants them: what lets a program ship its rules
// checked. A rule of white space is "". The error names a rule that does not compile.
func Flat(s *schema.Schema) ([]string, error) {
	r := NewRules(s)
	if !s.HasRules() {
		return nil, nil
	}
	r.top()
	var list []string
	for _, site := range r.sites {
		for i := range site.declared {
			flat, err := site.flat(&site.declared[i])
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", site.declared[i].Rule, err)
			}
			list = append(list, flat)
		}
	}
	return list, nil
}

func (s *site) flat(declared *schema.Rule) (string, error) {
	if strings.TrimSpace(declared.Rule) == "" {
		return "", nil
	}
	r := &rule{Rule: declared, site: s}
	_, checked, err := r.check()
	if err != nil {
		return "", err
	}
	return closure.Encode(checked.NativeRep())
}
