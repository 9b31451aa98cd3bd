package helmvalues

import (
	"reflect"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/chart/reads"
	"github.com/kindvet/kindvet/internal/schema"
)

// types is a set of JSON types.
type types uint8

const (
	isMap types = 1 << iota
	isList
	isString
	isNumber
	isBool
	isNull

	scalars  = isString | isNumber | isBool | isNull
	allTypes = scalars | isMap | isList
)

var typeNames = [...]string{"object", "array", "string", "number", "boolean", "null"}

func (t types) names() (names []any) {
	for i, name := range typeNames {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func typeOf(value any) types {
	switch value.(type) {
	case map[string]any:
		return isMap
	case []any:
		return isList
	case string:
		return isString
	case bool:
		return isBool
	case nil:
		return isNull
	}
	return isNumber
}

// evidence is what the uses of a value tell about it.
type evidence struct {
	types types
	// isOpen means that a template asks for the type: then each type may work.
	isOpen bool
	// isTested means that the value is tested only, isConverted that all its uses convert it to a number, and isNumeric that it
	// becomes a field that is a number; isInteger that this is one without a fraction. isLogical means that it becomes a boolean.
	// Numbers and booleans may be written as texts.
	isTested, isConverted, isNumeric, isInteger, isLogical bool
	isYAML, isTemplated                                    bool
	constants                                              []string
	isCompared                                             bool // with nothing but these constants
	fields                                                 []Field
}

// asks are the functions that tell the type of a value.
var asks = setOf("kindIs", "kindOf", "typeIs", "typeOf", "typeIsLike", "deepEqual")

// tests are the functions that tell whether a value is empty, or return it.
var tests = setOf("if", "with", "and", "or", "not", "empty", "default", "coalesce", "ternary", "required", "any", "all")

// serializers write a value as YAML, or as JSON, which is YAML.
var serializers = setOf("toYaml", "toJson", "toPrettyJson", "toRawJson", "toYamlPretty")

// numeric are the functions that convert a value to a number. A text that is none becomes 0.
var numeric = setOf("int", "int64", "float64", "atoi")

// printers write a value as text.
var printers = setOf("", "quote", "squote", "print", "printf", "println", "cat")

// passes are the functions whose result has the value: other uses tell more.
var passes = setOf("include", "dict", "list", "tuple", "set", "get", "index", "dig", "pluck", "pick", "omit", "merge", "mergeOverwrite",
	"deepCopy", "hasKey", "append", "prepend", "concat", "first", "last", "ne", "unset", "template")

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// evidenceOf returns what the uses of a value tell.
func (a *Analysis) evidenceOf(n *reads.Node) evidence {
	e := evidence{types: allTypes, isTested: true, isConverted: true, isCompared: true}
	hasUse := false
	uses := a.usage.Uses(n)
	for i := range uses {
		u := &uses[i]
		name := functionName(u.Function)
		if u.IsWithin {
			e.isConverted, e.isCompared, e.isTested = false, false, false
			continue
		}
		fields := a.fields(u)
		e.fields = append(e.fields, fields...)
		if isTemplated(u) {
			e.isTemplated = true
		}
		e.isOpen = e.isOpen || asks[name]
		if tests[name] {
			continue
		}
		hasUse = true
		if name != "eq" {
			e.isCompared = false
		}
		e.isTested = false
		e.use(name, u, fields)
	}
	if len(n.Fields) > 0 && !hasIndexes(n) {
		e.types &= isMap | isNull
	}
	e.isTested = e.isTested && len(uses) > 0 && len(n.Fields) == 0 && n.Any == nil
	e.isConverted, e.isCompared = e.isConverted && hasUse, e.isCompared && hasUse && len(e.constants) > 0
	return e
}

// use adds what one use tells.
func (e *evidence) use(name string, u *chart.ValueUse, fields []Field) {
	e.isConverted = e.isConverted && numeric[name]
	switch {
	case name == "range":
		e.types &= isMap | isList | isNull
	case name == "eq":
		e.constants = append(e.constants, u.Constants...)
		e.isCompared = e.isCompared && len(u.Constants) > 0 && u.IsExhaustive
		return // what is compared says nothing about the type of what is printed
	case numeric[name]:
		e.isInteger = e.isInteger || name != "float64"
	case serializers[name]:
		e.isYAML = true
		for i := range fields {
			if t := typesIn(&fields[i]); t != 0 {
				e.types &= t
			}
		}
	case printers[name]:
		e.types &= scalars
		if name == "" {
			for i := range fields {
				f := &fields[i]
				if s := f.schema; s != nil && f.Form == Whole && !s.IntOrString && s.Format != "quantity" {
					e.isNumeric = e.isNumeric || s.Type == "integer" || s.Type == "number"
					e.isInteger = e.isInteger || s.Type == "integer"
					e.isLogical = e.isLogical || s.Type == "boolean"
				}
			}
		}
	case passes[name]:
	default:
		if t := argumentTypes()[argument{name, u.Argument}]; t != 0 {
			e.types &= t | isNull
		}
	}
}

// typesIn returns the types of the values of a field that is written as YAML; 0 if they are not known.
func typesIn(f *Field) types {
	switch f.Form {
	case Fields:
		return isMap | isNull
	case Items:
		return isList | isNull
	case Whole:
		return typesOf(f.schema)
	}
	return 0
}

func typesOf(s *schema.Schema) types {
	if s == nil || s.IntOrString || s.Format == "quantity" {
		return 0
	}
	switch s.Type {
	case "object":
		return isMap | isNull
	case "array":
		return isList | isNull
	case "string":
		return isString | isNull
	case "integer", "number":
		return isNumber | isNull
	case "boolean":
		return isBool | isNull
	}
	return 0
}

// hasIndexes reports whether a field of a value may be the index of an item.
func hasIndexes(n *reads.Node) bool {
	for name := range n.Fields {
		if strings.Trim(name, "0123456789") == "" {
			return true
		}
	}
	return false
}

// functionName returns the name of a function without "must".
func functionName(name string) string {
	if rest, ok := strings.CutPrefix(name, "must"); ok && rest != "" {
		return strings.ToLower(rest[:1]) + rest[1:]
	}
	return name
}

// argument is one of a function.
type argument struct {
	function string
	index    int
}

// argumentTypes are the types that arguments of functions must have: text/template rejects others.
var argumentTypes = sync.OnceValue(func() map[argument]types {
	known := map[argument]types{{"tpl", 0}: isString, {"nindent", 1}: isString, {"indent", 1}: isString}
	for name, function := range chart.Functions() {
		t := reflect.TypeOf(function)
		for i := range t.NumIn() {
			in := t.In(i)
			isRest := t.IsVariadic() && i == t.NumIn()-1
			if isRest {
				in = in.Elem()
			}
			var of types
			switch in.Kind() {
			case reflect.String:
				of = isString
			case reflect.Map:
				of = isMap
			case reflect.Slice:
				of = isList
			default:
				continue
			}
			known[argument{functionName(name), i}] = of
		}
	}
	return known
})
