package validations

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/schema"
)

// Precompile returns the rules of a schema in their encoded form, in the order that [Rules.UsePrecompiled] requires.
// The encoded form of a blank rule is "". The error names a rule that does not compile.
func Precompile(s *schema.Schema) ([]string, error) {
	r := NewRules(s)
	if !s.HasRules() {
		return nil, nil
	}
	r.top()
	var list []string
	for _, set := range r.sets {
		for i := range set.declared {
			encoded, err := set.encode(&set.declared[i])
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", set.declared[i].Rule, err)
			}
			list = append(list, encoded)
		}
	}
	return list, nil
}

func (s *ruleSet) encode(declared *schema.Rule) (string, error) {
	if strings.TrimSpace(declared.Rule) == "" {
		return "", nil
	}
	checked, faults := cel.Check(declared.Rule, s.signature(declared))
	if len(faults) > 0 {
		return "", errors.New(cel.JoinFaults(faults))
	}
	return checked.Encode()
}
