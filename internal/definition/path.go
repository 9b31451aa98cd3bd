package definition

import (
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/schema"
)

// follow follows a path, such as .spec.ports or .labels['app'], from a schema to the schema that it names. The fault
// is "" if the path is valid. The schema is nil below additionalProperties: true. brackets means that names in
// brackets are allowed (apiextensions-apiserver, schema/cel.ValidFieldPath).
func follow(path string, s *schema.Schema, brackets bool) (found *schema.Schema, fault string) {
	for rest := path; rest != ""; {
		var name string
		switch {
		case rest[0] == '.':
			name, rest = token(rest[1:])
			if name == "" {
				return nil, "a name is missing at the end"
			}
		case rest[0] == '[' && !brackets:
			return nil, "names in brackets are not allowed"
		case rest[0] == '[':
			if name, rest, fault = quotedName(rest[1:]); fault != "" {
				return nil, fault
			}
		default:
			return nil, "a dot or bracket is missing before " + diag.Quote(rest)
		}
		if s, fault = step(s, name); fault != "" {
			return nil, fault
		}
	}
	return s, ""
}

// step returns the schema of a field.
func step(s *schema.Schema, name string) (*schema.Schema, string) {
	switch {
	case s == nil: // upstream panics here
		return nil, diag.Quote(name) + " is below a field without a schema"
	case len(s.Properties) > 0:
		p, ok := s.Property(name)
		if !ok {
			return nil, "unknown field " + diag.Quote(name)
		}
		return p, ""
	case s.AdditionalSet:
		return s.Additional, ""
	}
	return nil, "unknown field " + diag.Quote(name)
}

// quotedName reads 'name'] at the start of a path.
func quotedName(path string) (name, rest, fault string) {
	quoted, rest := token(path)
	if len(quoted) < 2 || quoted[0] != '\'' || quoted[len(quoted)-1] != '\'' {
		return "", "", "a name in single quotes is missing between the brackets"
	}
	name, ok := unescape(quoted[1 : len(quoted)-1])
	if !ok {
		return "", "", quoted + " has an unknown escape"
	}
	if rest, ok = strings.CutPrefix(rest, "]"); !ok {
		return "", "", "a closing bracket is missing"
	}
	return name, rest, ""
}

// token cuts off the next token of a path: a delimiter, a quoted name, or everything up to the next delimiter.
func token(path string) (tok, rest string) {
	for i := range len(path) {
		switch c := path[i]; {
		case path[0] == '\'':
			if i > 0 && c == '\'' && path[i-1] != '\\' {
				return path[:i+1], path[i+1:]
			}
		case c == '.' || c == '[' || c == ']':
			return path[:max(i, 1)], path[max(i, 1):]
		}
	}
	return path, ""
}

// unescape resolves the backslash escapes of a quoted name.
func unescape(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) || text[i+1] == '\n' {
			b.WriteByte(text[i])
			continue
		}
		i++
		escape := strings.IndexByte(`abfnrtv'\`, text[i])
		if escape < 0 {
			return "", false
		}
		b.WriteByte("\a\b\f\n\r\t\v'\\"[escape])
	}
	return b.String(), true
}
