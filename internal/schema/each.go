package schema

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// Each is a rule about each of several values below the value of a schema (x-kindvet-each). A finding about a value is
// placed at that value. A rule has one of Unique, In, NotIn and the text of Rule.
type Each struct {
	// Rule holds the message, the reason and, if the rule is an expression, its text. The expression sees the value as
	// self, the object that has the last field of the path as parent, the value of the schema as root, and that before an
	// update as oldRoot.
	Rule Rule
	// At are the paths of the values.
	At []EachPath
	// Key are the fields of the value that are compared. If there are none, the value itself is. Two objects are equal if
	// they have the same fields in the same order.
	Key []string
	// When is an expression like that of Rule. The rule applies only to values for which it is true. It may be empty.
	When string
	// Unique means that no two values may have the same key. If there is an expression as well, a value may have the same
	// key as one before it if the expression is true for it.
	Unique bool
	// Empty means that values with an empty key, or without one, are compared, too. So at most one of several objects may
	// be set if they have no key.
	Empty bool
	// In and NotIn are paths of values. The key must be, or must not be, one of these.
	In, NotIn []EachPath
	// InKey are the fields that are the key of such a value. If there are none, the value itself is.
	InKey []string
	// InWhen is an expression about such a value. Only values for which it is true count. It may be empty.
	InWhen string
}

// EachPath is a path such as containers.*.ports.* (items of lists), data.* (the values of a map) or data.*~ (its
// keys). With a leading / it starts at the document.
type EachPath struct {
	Steps []EachStep
	// FromDocument means that the path, written with a leading /, starts at the document and not at the value of the
	// schema. A document without such fields has no such values.
	FromDocument bool
}

// EachStep is a step of a path: a field, or all items of a list or values of a map.
type EachStep struct {
	Field string // "" for all items or values
	Hash  uint32
	// Keys means that the values are the keys of the map. It is possible only in the last step.
	Keys bool
}

// Others returns the paths of In and NotIn.
func (e *Each) Others() []EachPath { return slices.Concat(e.In, e.NotIn) }

// each reads one x-kindvet-each rule.
func (c *Compiler) each(n manifest.Node) Each {
	e := Each{Rule: c.rule(n)}
	for f := range n.Children() {
		switch f.Key() {
		case "at":
			e.At = c.eachPaths(f)
		case "in":
			e.In = c.eachPaths(f)
		case "notIn":
			e.NotIn = c.eachPaths(f)
		case "key":
			e.Key = c.textOrTexts(f)
		case "when":
			e.When = c.text(f)
		case "unique":
			e.Unique = c.boolean(f)
		case "empty":
			e.Empty = c.boolean(f)
		case "inKey":
			e.InKey = c.textOrTexts(f)
		case "inWhen":
			e.InWhen = c.text(f)
		}
	}
	if len(e.At) == 0 {
		c.reject(n, diag.MissingField, "a rule for each value needs at")
	}
	return e
}

func (c *Compiler) textOrTexts(n manifest.Node) []string {
	if n.Type() == manifest.List {
		return c.texts(n)
	}
	return []string{c.text(n)}
}

func (c *Compiler) eachPaths(n manifest.Node) []EachPath {
	var paths []EachPath
	for _, text := range c.textOrTexts(n) {
		path, ok := parseEachPath(text)
		if !ok {
			c.reject(n, diag.BadFormat, "%q is not a path such as containers.*.ports.*", text)
		}
		paths = append(paths, path)
	}
	return paths
}

// parseEachPath reads a path. "" is the value itself.
func parseEachPath(text string) (EachPath, bool) {
	var path EachPath
	text, path.FromDocument = strings.CutPrefix(text, "/")
	text, keys := strings.CutSuffix(text, "~")
	if text == "" {
		return path, true
	}
	for _, part := range strings.Split(text, ".") {
		switch part {
		case "":
			return path, false
		case "*":
			path.Steps = append(path.Steps, EachStep{})
		default:
			path.Steps = append(path.Steps, EachStep{Field: part, Hash: manifest.Hash(part)})
		}
	}
	if keys {
		path.Steps[len(path.Steps)-1].Keys = true
	}
	return path, !keys || path.Steps[len(path.Steps)-1].Field == ""
}
