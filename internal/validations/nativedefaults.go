package validations

import (
	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

// nativeDefault is a default that depends on other fields.
type nativeDefault struct {
	declared *schema.ConditionalDefault
	when     *nativeCode // nil if it always applies
}

// prepareUpdate adds the conditional defaults of both objects to their trees. Those of the old object stay, because
// kubectl apply changes only fields that one of the manifests states.
func (w *nativeWalk) prepareUpdate(root, old manifest.Node, s *schema.Schema) {
	w.addDefaults(old, s)
	w.keepDefaults(root, old, s)
	w.addDefaults(root, s)
}

// addDefaults adds the conditional defaults at and below a value.
func (w *nativeWalk) addDefaults(n manifest.Node, s *schema.Schema) {
	s.Ready()
	if len(s.ConditionalDefaults) > 0 {
		for _, d := range s.Attached(w.native.compile).(*nativeRules).defaults {
			for _, path := range d.declared.At {
				w.eachAt(n, s, path, func(v eachValue) { w.addDefault(d, v, n, s) })
			}
		}
	}
	switch n.Type() {
	case manifest.Map:
		for f := n.First(); f.Valid(); f = f.Next() {
			if below := s.Field(f); below != nil && below.MayHaveRules() {
				w.addDefaults(f, below)
			}
		}
	case manifest.List:
		if s.Items != nil && s.Items.MayHaveRules() {
			for item := n.First(); item.Valid(); item = item.Next() {
				w.addDefaults(item, s.Items)
			}
		}
	}
}

// addDefault adds one default to an object. n is the value with the schema s that declares it.
func (w *nativeWalk) addDefault(d *nativeDefault, v eachValue, n manifest.Node, s *schema.Schema) {
	if v.node.Type() != manifest.Map {
		return
	}
	if d.when != nil {
		w.start(d.when.code(), v, n, manifest.Node{}, s)
		if w.run(d.when.code()) != closure.True {
			return
		}
	}
	field, ok := v.node.Field(d.declared.Field)
	if d.declared.Value.Valid() {
		switch {
		case !ok:
			v.node.AddDefault(d.declared.Field, d.declared.Value)
		case d.declared.Value.Type() == manifest.String && field.Type() == manifest.String && field.Text() == "":
			field.ReplaceByDefault(d.declared.Value)
		}
		return
	}
	from, hasFrom := v.node.Field(d.declared.From)
	switch {
	case !hasFrom:
	case !ok:
		v.node.AddDefault(d.declared.Field, from)
	case from.Type() == manifest.Map && field.Type() == manifest.Map:
		for value := range from.Children() {
			if _, ok := field.Field(value.Key()); !ok {
				field.AddDefault(value.Key(), value)
			}
		}
	}
}

// keepDefaults copies the defaults at and below an old value that the new value lacks.
func (w *nativeWalk) keepDefaults(n, old manifest.Node, s *schema.Schema) {
	s.Ready()
	if n.Type() != old.Type() {
		return
	}
	switch n.Type() {
	case manifest.Map:
		for was := old.First(); was.Valid(); was = was.Next() {
			below := s.Field(was)
			now, ok := n.FieldHashed(was.Key(), was.KeyHash())
			switch {
			case below == nil:
			case ok && below.MayHaveRules():
				w.keepDefaults(now, was, below)
			case !ok && was.Defaulted():
				n.AddDefault(was.Key(), was)
			}
		}
	case manifest.List:
		if s.ListType != "map" || s.Items == nil {
			return
		}
		index := schema.NewItemIndex(old, s.ListMapKeys)
		for item := n.First(); item.Valid(); item = item.Next() {
			if was, ok := index.Find(item); ok {
				w.keepDefaults(item, was, s.Items)
			}
		}
	}
}
