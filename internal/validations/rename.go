package validations

import (
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/schema"
)

// Rename returns the rule, messageExpression and fieldPath of a rule with renamed fields. self is the schema that
// holds the rule, and isResource means that it is the schema of a resource. The types of the checked rule tell which
// fields to rename. The rest of the text is unchanged.
func Rename(
	r *schema.Rule, self *schema.Schema, isResource bool, renamed cel.Renamer,
) (rule, message, fieldPath string, err error) {
	env := ruleEnvironment(cel.TypeOf(self, isResource), r.OptionalOldSelf)
	if rule, err = env.RenameFields(r.Rule, self, renamed); err != nil {
		return "", "", "", err
	}
	if message, err = env.RenameFields(r.MessageExpression, self, renamed); err != nil {
		return "", "", "", err
	}
	return rule, message, RenameFieldPath(r.FieldPath, self, renamed), nil
}

// RenameFieldPath returns a path of fields below a schema, such as .spec.ports or .labels['a.b'], with the new names
// of its fields.
func RenameFieldPath(path string, s *schema.Schema, renamed cel.Renamer) string {
	if path == "" {
		return ""
	}
	var out strings.Builder
	for _, field := range parseFieldPath(path) {
		name := field
		if s != nil {
			if to, ok := renamed(s, field); ok {
				name = to
			}
			below, _ := s.Property(field)
			s = below
		}
		if strings.ContainsAny(name, ".['\\") {
			fmt.Fprintf(&out, "['%s']", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name))
		} else {
			out.WriteString("." + name)
		}
	}
	return out.String()
}
