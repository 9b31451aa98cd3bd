package schema

import "github.com/kindvet/kindvet/internal/manifest"

// Expression declares the CEL expressions that a field of a kind of Kubernetes holds. The API server compiles them
// when it validates the object. (x-kindvet-expressions)
type Expression struct {
	// At is the path of the field from the value of the schema, such as spec.validations.*.expression.
	At string
	// Variables are the variables that the expression can see, and VariablesIf those that it can see only if a field is
	// present.
	Variables   []string
	VariablesIf []VariableIf
	// Returns is what the expression must return.
	Returns string
	// Defines names the field next to the expression that holds the name of a variable. Later expressions see its value
	// as a field of variables.
	Defines string
	// MaxCost is the maximum estimated cost of the expression, or nil.
	MaxCost *int64
	// StoredIn are the paths of fields of the old object. An expression that is in one of them is stored, so a server allows
	// more in it. StoredIfSame is a field of the document: all expressions are stored if the old object has the same.
	StoredIn     []string
	StoredIfSame string
	// StoredTrimmed means that the server searches these fields for the expression without the white space around it, although
	// they have it.
	StoredTrimmed bool
}

// VariableIf is a variable that an expression can see if the field at a path is present and not empty.
type VariableIf struct{ Name, Field string }

func (c *Compiler) expression(n manifest.Node) Expression {
	e := Expression{}
	for f := range n.Children() {
		switch f.Key() {
		case "at":
			e.At = c.text(f)
		case "variables":
			e.Variables = c.texts(f)
		case "variablesIf":
			for v := range f.Children() {
				e.VariablesIf = append(e.VariablesIf, VariableIf{v.Key(), c.text(v)})
			}
		case "returns":
			e.Returns = c.text(f)
		case "defines":
			e.Defines = c.text(f)
		case "maxCost":
			e.MaxCost = c.integer(f)
		case "storedIn":
			e.StoredIn = c.texts(f)
		case "storedTrimmed":
			e.StoredTrimmed = c.boolean(f)
		case "storedIfSame":
			e.StoredIfSame = c.text(f)
		}
	}
	return e
}
