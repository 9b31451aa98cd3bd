package helmvalues

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/export"
)

// Dialect is the version of JSON Schema that is written.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// Comments that tell that kindvet has written a schema. Of one that it has completed, the root is by the author.
const (
	generatedComment = "Written by 'kindvet export values-schema'. To keep a schema below as it is, give it a $comment."
	completedComment = "Completed by 'kindvet export values-schema'. Schemas with a $comment, and this one, are kept as they are."
	// authorComment marks a schema that was there before.
	authorComment = "by the author"
)

// builder makes the schema of the values.
type builder struct {
	*Analysis
	kinds        *export.Fields
	relaxedCount int
}

// Schema returns the JSON Schema of the values, merged with the one of the chart.
func (a *Analysis) Schema() ([]byte, error) {
	existing, err := parseSchema(a.usage.Schema)
	if err != nil {
		return nil, err
	}
	b := &builder{Analysis: a, kinds: export.NewFields()}
	root := b.root()
	root = b.relaxed(root)
	if existing != nil {
		root = merged(existing, root)
	}
	b.addDefinitions(root)
	return Text(root)
}

// Text returns a schema as it is written. Keys are sorted.
func Text(schema map[string]any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(schema)
	return text.Bytes(), err
}

// root returns the schema of all values.
func (b *builder) root() map[string]any {
	read, known := b.usage.Read, b.known
	root := b.object(read, known, nil)
	properties, _ := root["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
		root["properties"] = properties
	}
	for _, name := range b.usage.Subcharts {
		sub, _ := properties[name].(map[string]any)
		open := map[string]any{"type": "object", "description": "Values of the chart " + name + "."}
		if p, ok := sub["properties"]; ok {
			open["properties"] = p
		}
		properties[name] = open
	}
	for _, path := range b.usage.Conditions {
		b.addCondition(properties, path)
	}
	properties["global"] = map[string]any{"type": []any{"object", "null"}, "description": "Values that all charts of a release share."}
	if len(b.usage.Subcharts) > 0 {
		if _, ok := properties["tags"]; !ok {
			properties["tags"] = map[string]any{"type": []any{"object", "null"}, "description": "Tags that turn subcharts on and off."}
		}
	}
	if !isClosed(b.usage.IsKnown && !b.usage.IsLibrary, read) {
		delete(root, "additionalProperties")
	} else {
		root["additionalProperties"] = false
		root["patternProperties"] = map[string]any{"^x-": map[string]any{}} // anchors
		if _, ok := properties["enabled"]; !ok {
			properties["enabled"] = map[string]any{"description": "Whether a chart that has this one as a subchart turns it on."}
		}
	}
	root["$schema"], root["$comment"], root["title"], root["type"] = Dialect, generatedComment, "Values of the chart "+b.usage.Name, "object"
	return root
}

// addCondition adds the schema of a value that turns a subchart on.
func (b *builder) addCondition(properties map[string]any, path []string) {
	for i, name := range path {
		next, _ := properties[name].(map[string]any)
		if next == nil {
			next = map[string]any{}
			properties[name] = next
		}
		if i == len(path)-1 {
			if len(next) == 0 {
				next["description"] = "Whether the subchart is on."
			}
			return
		}
		below, _ := next["properties"].(map[string]any)
		if below == nil {
			below = map[string]any{}
			next["properties"] = below
		}
		properties = below
	}
}

func isClosed(isKnown bool, n *reads.Node) bool {
	return isKnown && !n.IsAll && !n.HasKeys && n.Any == nil
}

// object returns the schema of a map with what is read of it and what it has.
func (b *builder) object(n *reads.Node, known []any, path []string) map[string]any {
	names := map[string]bool{}
	for name := range n.Fields {
		names[name] = true
	}
	below := map[string][]any{}
	for _, v := range known {
		table, _ := v.(map[string]any)
		for name, value := range table {
			names[name] = true
			below[name] = append(below[name], value)
		}
	}
	properties := map[string]any{}
	for _, name := range sortedKeys(names) {
		field := n.Fields[name]
		if field == nil && n.Any != nil {
			continue // additionalProperties describes it
		}
		properties[name] = b.value(field, below[name], append(path[:len(path):len(path)], name))
	}
	out := map[string]any{}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if isClosed(b.usage.IsKnown, n) && len(n.Fields) > 0 {
		out["additionalProperties"] = false
	}
	if n.Any != nil && !n.IsAll {
		var values []any
		for _, list := range sortedKeys(below) {
			values = append(values, below[list]...)
		}
		if any := b.value(n.Any, values, append(path[:len(path):len(path)], "*")); len(any) > 0 {
			out["additionalProperties"] = any
		}
	}
	return out
}

// defaultOf returns the default value at a path.
func (b *builder) defaultOf(path []string) (value any, ok bool) {
	value = b.usage.Defaults
	for _, name := range path {
		table, isTable := value.(map[string]any)
		if !isTable {
			return nil, false
		}
		if value, ok = table[name]; !ok {
			return nil, false
		}
	}
	return value, ok
}

// value returns the schema of a value. Its node is nil if nothing reads it.
func (b *builder) value(n *reads.Node, known []any, path []string) map[string]any {
	out := map[string]any{}
	standard, hasDefault := b.defaultOf(path)
	if n == nil || len(path) > maxNesting {
		n = &reads.Node{IsAll: true}
	}
	e := b.evidenceOf(n)
	if !hasDefault && len(known) > 0 {
		standard = known[0]
	}
	allowed := b.types(n, &e, standard, hasDefault || len(known) > 0)
	if allowed&isMap != 0 && (allowed != allTypes || typeOf(standard) == isMap || len(n.Fields) > 0) {
		maps.Copy(out, b.object(n, tables(known), path))
	}
	if allowed&isList != 0 && n.Any != nil && !n.IsAll && allowed != allTypes {
		var items []any
		for _, v := range known {
			list, _ := v.([]any)
			items = append(items, list...)
		}
		if item := b.value(n.Any, items, append(path[:len(path):len(path)], "*")); len(item) > 0 {
			out["items"] = item
		}
	}
	if allowed&isMap == 0 || allowed&isList != 0 && typeOf(standard) == isList {
		delete(out, "properties")
		delete(out, "additionalProperties")
	}
	b.addField(out, n, &e, known, allowed)
	b.addTypes(out, &e, allowed, known)
	if text := b.description(&e, path); text != "" {
		out["description"] = text
	}
	if hasDefault && isSmall(standard) {
		out["default"] = standard
	}
	return out
}

func tables(known []any) (list []any) {
	for _, v := range known {
		if typeOf(v) == isMap {
			list = append(list, v)
		}
	}
	return list
}

// types returns which types a value may have. All means that nothing is known.
func (b *builder) types(n *reads.Node, e *evidence, standard any, hasDefault bool) types {
	if e.isOpen {
		return allTypes
	}
	allowed, of := e.types, typeOf(standard)
	if e.isTemplated {
		allowed |= isString
	}
	if !hasDefault || of == isNull {
		return allowed
	}
	switch {
	case of == isMap && (len(n.Fields) > 0 || n.Any != nil || e.isYAML || n.HasKeys):
		allowed &= isMap | isNull | e.templated()
	case of == isList && (n.Any != nil || e.isYAML || n.HasKeys):
		allowed &= isList | isNull | e.templated()
	}
	return allowed
}

func (e *evidence) templated() types {
	if e.isTemplated {
		return isString
	}
	return 0
}

// Patterns of texts that are printed as numbers and booleans. An empty one is printed as nothing, which is null.
const (
	integerPattern = `^(-?[0-9]+)?$`
	numberPattern  = `^(-?[0-9]+(\.[0-9]+)?)?$`
	booleanPattern = `^(true|false)?$`
	truthPattern   = `^(true)?$`
)

// addTypes adds the types that are allowed, and those of the known values.
func (b *builder) addTypes(out map[string]any, e *evidence, allowed types, known []any) {
	if out["$ref"] != nil || out["type"] != nil {
		return
	}
	pattern, isInteger := "", false
	hasText := e.isTemplated || e.isOpen
	isAll := func(of types) bool {
		for _, v := range known {
			if t := typeOf(v); t != of && t != isNull {
				return false
			}
		}
		return len(known) > 0
	}
	switch {
	case hasText:
	case e.isNumeric || e.isConverted && isAll(isNumber):
		allowed &= isNumber | isString | isNull
		pattern, isInteger = numberPattern, e.isInteger
		if isInteger {
			pattern = integerPattern
		}
	case e.isLogical:
		allowed, pattern = allowed&(isBool|isString|isNull), booleanPattern
	case e.isTested && isAll(isBool):
		allowed, pattern = allowed&(isBool|isString|isNull), truthPattern
	}
	if e.isCompared && !hasText && isAll(isString) && b.addEnum(out, e, known) {
		return
	}
	if allowed == allTypes || allowed == 0 {
		return
	}
	allowed |= isNull
	for _, v := range known {
		t := typeOf(v)
		if t != isNull {
			allowed |= t
		}
		if number, ok := v.(float64); ok && number != math.Trunc(number) {
			isInteger = false
		}
	}
	if _, ok := out["enum"]; ok {
		allowed = isString | isNull
	}
	names := allowed.names()
	if isInteger {
		names[slices.Index(names, any("number"))] = "integer"
	}
	out["type"] = names
	if pattern != "" && allowed&isString != 0 {
		out["pattern"] = pattern
	}
}

// addEnum adds the words that templates compare a value with, if they do nothing else with it.
func (b *builder) addEnum(out map[string]any, e *evidence, known []any) bool {
	all := map[string]bool{}
	for _, word := range e.constants {
		all[word] = true
	}
	for _, v := range known {
		if word, _ := v.(string); !all[word] {
			return false // other words work, too
		}
	}
	list := []any{}
	for _, word := range sortedKeys(all) {
		list = append(list, word)
	}
	out["enum"] = append(list, nil)
	return true
}

// addField adds the schema of the field that a value becomes as it is.
func (b *builder) addField(out map[string]any, n *reads.Node, e *evidence, known []any, allowed types) {
	var of *Field
	for i := range e.fields {
		f := &e.fields[i]
		if f.schema == nil || f.Form == Part || f.Form == Quoted {
			return
		}
		if of == nil {
			of = f
		} else if of.schema != f.schema {
			return
		}
	}
	if of == nil || e.isOpen || e.isTemplated || !e.isYAML {
		b.addLimits(out, of, e)
		return
	}
	uses := b.usage.Uses(n)
	for i := range uses { // another place may use more of it
		u := &uses[i]
		if name := functionName(u.Function); !tests[name] && !passes[name] && (u.IsWithin || len(b.fields(u)) == 0) {
			return
		}
	}
	s := b.kinds.Schema(of.Kind, of.schema)
	if reference, ok := s["$ref"].(string); ok {
		s = b.kinds.Definitions()[strings.TrimPrefix(reference, "#/$defs/")].(map[string]any)
	}
	s = maps.Clone(s)
	delete(s, "required") // the template may write the rest
	delete(s, "minProperties")
	delete(s, "minItems")
	own, _ := out["properties"].(map[string]any)
	if properties, ok := s["properties"].(map[string]any); ok && len(own) > 0 {
		all := maps.Clone(properties)
		for name, p := range own {
			if all[name] == nil {
				all[name] = p
			}
		}
		s["properties"] = all
	}
	if _, ok := s["properties"]; !ok && len(own) > 0 {
		delete(out, "properties")
	}
	delete(out, "additionalProperties")
	delete(out, "items")
	delete(s, "default")
	maps.Copy(out, s)
	if t, ok := out["type"]; ok {
		list, isList := t.([]any)
		if !isList {
			list = []any{t}
		}
		if !slices.Contains(list, any("null")) {
			out["type"] = append(slices.Clone(list), "null")
		}
		if enum, ok := out["enum"].([]json.RawMessage); ok {
			out["enum"] = append(slices.Clone(enum), json.RawMessage("null"))
		}
	}
}

// addLimits adds the words that a field allows which is printed as it is.
func (b *builder) addLimits(out map[string]any, of *Field, e *evidence) {
	if of == nil || e.isOpen || e.isTemplated || len(of.schema.Enum) == 0 || of.schema.Type != "string" || of.Form != Whole {
		return
	}
	enum := []any{}
	for _, word := range of.schema.Enum {
		enum = append(enum, word.Text())
	}
	out["enum"] = append(enum, "", nil)
}

// description returns what is said about a value: about the field that it becomes, or in a comment.
func (b *builder) description(e *evidence, path []string) string {
	text := ""
	for i := range e.fields {
		f := &e.fields[i]
		if f.Form == Part || f.text == "" || text != "" && text != f.text {
			text = ""
			break
		}
		text = f.text
	}
	if text == "" {
		text = b.comments[strings.Join(path, ".")]
	}
	return text
}

// isSmall reports whether a default value is shown.
func isSmall(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return len(v) <= maxDefault
	case nil:
		return false
	}
	return true
}

// maxDefault is the maximum number of bytes of a default value that is shown.
const maxDefault = 200

// addDefinitions adds the definitions that are referred to.
func (b *builder) addDefinitions(root map[string]any) {
	needed := map[string]any{}
	all := b.kinds.Definitions()
	var add func(of any)
	add = func(of any) {
		switch v := of.(type) {
		case map[string]any:
			if reference, ok := v["$ref"].(string); ok {
				name, isOwn := strings.CutPrefix(reference, "#/$defs/")
				if _, known := needed[name]; isOwn && !known && all[name] != nil {
					needed[name] = all[name]
					add(all[name])
				}
			}
			for _, below := range v {
				add(below)
			}
		case []any:
			for _, item := range v {
				add(item)
			}
		}
	}
	add(root)
	own, _ := root["$defs"].(map[string]any)
	for name, definition := range own {
		if needed[name] == nil && !generatedDefinition().MatchString(name) {
			needed[name] = definition
		}
	}
	if delete(root, "$defs"); len(needed) > 0 {
		root["$defs"] = needed
	}
}
