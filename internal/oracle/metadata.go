package oracle

import (
	"encoding/json"
	"slices"
	"strings"
)

// metadataVariants changes one part of an object's metadata at a time.
func metadataVariants(object any) []variant {
	m, ok := object.(map[string]any)
	if !ok {
		return nil
	}
	if _, ok := m["metadata"].(map[string]any); !ok {
		return nil
	}
	var out []variant
	set := func(field, what string, value any) {
		path := []step{{"metadata", -1}, {field, -1}}
		out = append(out, variant{name: "metadata." + field + " " + what, object: with(object, path, value, false)})
	}
	for _, name := range []string{
		"a", "A", "a_b", "a.b", "a..b", "-a", "a-", "", strings.Repeat("a", 253), strings.Repeat("a", 254),
	} {
		set("name", "is "+short(name), name)
		out = append(out, variant{name: "metadata.generateName is " + short(name),
			object: with(object, []step{{"metadata", -1}}, map[string]any{"generateName": name}, false)})
	}
	set("name", "is null", nil)
	out = append(out, variant{name: "metadata.generateName alone is null",
		object: with(object, []step{{"metadata", -1}}, map[string]any{"generateName": nil}, false)})
	for _, labels := range []any{
		map[string]any{"a": "b"}, map[string]any{"a.b/c": ""}, map[string]any{"a/b/c": "x"}, map[string]any{"": "x"},
		map[string]any{"a b": "x"},
		map[string]any{"a": "-"}, map[string]any{"a": strings.Repeat("x", 63)}, map[string]any{"a": strings.Repeat("x", 64)},
		map[string]any{strings.Repeat("a", 64): "x"}, map[string]any{"A/b": "x"}, map[string]any{"a": json.Number("1")},
		map[string]any{"a": true}, map[string]any{"a": nil}, []any{}, "x", nil,
	} {
		set("labels", "are "+short(render(labels, true)), labels)
		set("annotations", "are "+short(render(labels, true)), labels)
	}
	if m["kind"] == "Rule" { // one kind is enough
		set("annotations", "are too large", map[string]any{"a": strings.Repeat("x", 256<<10)})
	}
	for _, finalizers := range []any{
		[]any{"a/b"}, []any{"orphan"}, []any{"orphan", "foregroundDeletion"}, []any{"not one"}, []any{""},
		[]any{json.Number("1")}, []any{nil}, "a", nil,
	} {
		set("finalizers", "are "+short(render(finalizers, true)), finalizers)
	}
	owner := map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b"}
	for _, change := range []variant{
		{name: "apiVersion", object: ""}, {name: "apiVersion", object: "a/b/c"}, {name: "kind", object: ""},
		{name: "kind", object: "Event"}, {name: "name", object: ""}, {name: "uid", object: nil},
		{name: "controller", object: "yes"},
		{name: "controller", object: true}, {name: "blockOwnerDeletion", object: false}, {name: "unknown", object: "x"},
	} {
		set("ownerReferences", "has "+change.name+" "+short(render(change.object, true)),
			[]any{with(owner, []step{{change.name, -1}}, change.object, false)})
	}
	controller := with(owner, []step{{"controller", -1}}, true, false)
	set("ownerReferences", "has two controllers", []any{controller, with(controller, []step{{"name", -1}}, "c", false)})
	set("unknown", "is unknown", "x")
	set("Labels", "is of the wrong case", map[string]any{})
	set("namespace", "is set", "shop")
	set("namespace", "is no label", "Shop_1")
	set("creationTimestamp", "is null", nil)
	set("creationTimestamp", "is a time", "2026-01-02T03:04:05Z")
	set("creationTimestamp", "is none", "yesterday")
	set("generation", "is negative", json.Number("-1"))
	set("generation", "is a fraction", json.Number("1.5"))
	set("generation", "is a whole float", json.Number("2.0"))
	set("uid", "is a number", json.Number("1"))
	set("managedFields", "has a wrong type", []any{map[string]any{"manager": json.Number("1")}})
	set("managedFields", "is empty", []any{})
	whole := []step{{"metadata", -1}}
	for _, v := range []any{nil, "x", []any{}, map[string]any{}} {
		out = append(out, variant{name: "metadata is " + short(render(v, true)), object: with(object, whole, v, false)})
	}
	for _, field := range []string{"apiVersion", "kind"} {
		for _, v := range []any{"", "x", "a/b/c", json.Number("1"), nil} {
			out = append(out,
				variant{name: field + " is " + short(render(v, true)), object: with(object, []step{{field, -1}}, v, false)})
		}
	}
	return out
}

// metadataUpdate is a change of an object's metadata.
type metadataUpdate struct {
	name        string
	old, object any
}

// metadataUpdates changes what only the server or a delete request sets.
func metadataUpdates(object any) []metadataUpdate {
	const earlier, later, zero = "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "0001-01-01T00:00:00Z"
	five, six := json.Number("5"), json.Number("6")
	// An object that is being deleted disappears on an update without finalizers.
	held := with(object, []step{{"metadata", -1}, {"finalizers", -1}}, []any{"a/b"}, false)
	set := func(fields map[string]any) any {
		out := held
		for field, value := range fields { // each sets one field, so the order does not matter
			out = with(out, []step{{"metadata", -1}, {field, -1}}, value, false)
		}
		return out
	}
	var out []metadataUpdate
	for field, values := range map[string][]any{
		"deletionTimestamp":          {earlier, later, zero, nil},
		"deletionGracePeriodSeconds": {five, six, json.Number("5.0"), nil},
		"creationTimestamp":          {earlier, later},
		"generation":                 {json.Number("1"), json.Number("2")},
		"selfLink":                   {"/a", "/b"},
		"managedFields": {
			[]any{}, []any{map[string]any{"manager": "a", "operation": "Update", "apiVersion": "v1"}},
		},
	} {
		for _, value := range values {
			name := "metadata." + field + " " + short(render(value, true))
			out = append(out, metadataUpdate{name + " is added", held, set(map[string]any{field: value})},
				metadataUpdate{name + " is removed", set(map[string]any{field: value}), held})
			for _, other := range values {
				out = append(out, metadataUpdate{name + " becomes " + short(render(other, true)),
					set(map[string]any{field: value}), set(map[string]any{field: other})})
			}
		}
	}
	for _, finalizers := range []any{[]any{"a/b"}, []any{"a/b", "c/d"}, []any{"c/d"}} {
		out = append(out, metadataUpdate{"metadata.finalizers of a deleted object become " + short(render(finalizers, true)),
			set(map[string]any{"deletionTimestamp": earlier}), set(map[string]any{"finalizers": finalizers})})
	}
	slices.SortFunc(out, func(a, b metadataUpdate) int { return strings.Compare(a.name, b.name) })
	return out
}

func short(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 40 {
		return text[:40] + "…"
	}
	if text == "" {
		return "empty"
	}
	return text
}
