package catalog

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/rules"
)

// operatorRow is a line of rules/operators.tsv.
type operatorRow struct {
	fields  *regexp.Regexp
	allowed string
	by      string
}

// operatorRows are those of rules/operators.tsv by kind, such as Alert.notification.toolkit.fluxcd.io.
var operatorRows = sync.OnceValue(func() map[string][]operatorRow {
	byKind := map[string][]operatorRow{}
	for line := range strings.Lines(rules.Operators) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		byKind[f[0]] = append(byKind[f[0]], operatorRow{regexp.MustCompile("^(?:" + f[1] + ")$"), f[2], f[3]})
	}
	return byKind
})

// AllowedBy returns the operator that makes a server allow what the copy of a CRD from a known project rejects: it changes the
// CRD when it installs it, or its webhook sets the field. value is the text that is rejected.
func (k *Kind) AllowedBy(v *diag.Violation, value string) (operator string, ok bool) {
	if k.Stored.Source == "" {
		return "", false
	}
	rows := operatorRows()[k.Name+"."+k.Group]
	if len(rows) == 0 {
		return "", false
	}
	var fields strings.Builder
	for i, step := range v.Path {
		switch {
		case step.IsItem:
			fields.WriteString("[]")
			continue
		case i > 0:
			fields.WriteByte('.')
		}
		fields.WriteString(step.Name)
	}
	for _, row := range rows {
		if row.fields.MatchString(fields.String()) && row.allows(v, value) {
			return row.by, true
		}
	}
	return "", false
}

// number matches a decimal number, which YAML does not read as a string.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+\.\d+$`) })

func (row *operatorRow) allows(v *diag.Violation, value string) bool {
	switch row.allowed {
	case "missing":
		return v.Rule == diag.MissingField && value == ""
	case "a number":
		return v.Rule == diag.WrongType && number().MatchString(value)
	}
	return v.Rule == diag.NotInEnum && value == row.allowed
}
