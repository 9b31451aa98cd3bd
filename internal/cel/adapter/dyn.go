package adapter

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// dynSchema is what DynSchema returns.
var dynSchema = func() *schema.Schema {
	s := &schema.Schema{}
	s.Additional, s.Items = s, s
	return s
}()

// DynSchema returns the schema of values that an expression sees as they are written: maps with any keys, lists of
// any items, and scalars of their own type, including null. A ValidatingAdmissionPolicy sees an object in this way.
func DynSchema() *schema.Schema { return dynSchema }

// written returns a node as a value of the node's own type.
func written(n manifest.Node) ref.Val {
	switch n.Type() {
	case manifest.Boolean:
		return types.Bool(n.Boolean())
	case manifest.Integer:
		return types.Int(n.Integer())
	case manifest.Float:
		return types.Double(n.Float())
	case manifest.String:
		return types.String(n.Text())
	case manifest.List:
		return &List{Node: n, Schema: dynSchema}
	case manifest.Map:
		return &Object{n, dynSchema}
	}
	return types.NullValue
}

// Native converts a node to the value that encoding/json would decode, except that integers are int64.
func Native(n manifest.Node) any {
	switch n.Type() {
	case manifest.Boolean:
		return n.Boolean()
	case manifest.Integer:
		return n.Integer()
	case manifest.Float:
		return n.Float()
	case manifest.String:
		return n.Text()
	case manifest.List:
		list := make([]any, 0, n.Len())
		for item := range n.Children() {
			list = append(list, Native(item))
		}
		return list
	case manifest.Map:
		m := make(map[string]any, n.Len())
		for f := range n.Children() {
			m[f.Key()] = Native(f)
		}
		return m
	}
	return nil
}
