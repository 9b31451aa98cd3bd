package reads

import (
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

// function evaluates a call of a function.
func (s *scope) function(name string, c *parse.CommandNode, args []value) value {
	return s.limited(s.called(name, c, args))
}

// called returns what a function returns.
func (s *scope) called(name string, c *parse.CommandNode, args []value) value {
	if s.uses != nil {
		s.useAll(name, args)
	}
	name = strings.TrimPrefix(name, "must")
	if name != "" {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	last := func() value {
		if len(args) == 0 {
			return value{}
		}
		return args[len(args)-1]
	}
	switch name {
	case "default", "coalesce", "ternary", "required", "and", "or":
		for _, v := range args {
			s.test(v)
		}
		if name == "ternary" && len(args) == 3 {
			return joinAll(args[:2])
		}
		if name == "required" && len(args) > 0 {
			s.readAll(args[0])
			return last()
		}
		return joinAll(args)
	case "not", "empty", "kindIs", "kindOf", "typeIs", "typeOf", "typeIsLike":
		for _, v := range args {
			s.test(v)
		}
		return computed()
	case "len", "keys":
		for _, v := range args {
			s.keysOf(v)
			s.test(v)
		}
		return computed()
	case "hasKey":
		if len(args) == 2 {
			s.at(args[0], args[1])
		}
		return computed()
	case "index", "get":
		if len(args) == 0 {
			return value{}
		}
		v := args[0]
		for _, key := range args[1:] {
			s.readAll(value{refs: key.refs})
			v = s.at(v, key)
		}
		return v
	case "dig": // keys, the default, the map
		if len(args) < 3 {
			return value{}
		}
		v := last()
		for _, key := range args[:len(args)-2] {
			s.readAll(value{refs: key.refs})
			v = s.at(v, key)
		}
		return joinAll([]value{v, args[len(args)-2]})
	case "pluck":
		if len(args) == 0 {
			return value{}
		}
		found := value{}
		for _, v := range args[1:] {
			found, _ = found.join(s.at(v, args[0]))
		}
		return s.made(c, nil, found)
	case "pick":
		return s.picked(c, args)
	case "deepCopy", "merge", "mergeOverwrite", "omit", "unset", "concat", "append", "prepend", "push", "initial", "rest",
		"reverse", "uniq", "compact", "slice", "without", "sortAlpha", "chunk":
		return s.combined(name, c, args)
	case "first", "last":
		return s.items(last())
	case "dict":
		return s.dict(c, args)
	case "list", "tuple":
		return s.listed(c, args)
	case "split", "splitList":
		return s.split(name, c, args)
	case "set":
		return s.setField(args)
	case "include":
		if len(args) > 1 {
			return s.included(args[0], args[1])
		}
		return computed()
	case "tpl":
		if len(args) > 1 {
			s.readAll(args[0])
			for _, tree := range s.texts {
				s.executeLater(tree, args[1])
			}
		}
		return computed()
	case "printf", "print":
		return s.printed(name, args)
	}
	for _, v := range args {
		s.readAll(v)
	}
	return computed()
}

// made returns a map or list that a call makes. The same call makes the same one of the same arguments.
func (s *scope) made(c *parse.CommandNode, of map[string]value, item value) value {
	s.spend(len(of))
	key := s.key(item, name(c))
	for _, name := range sortedKeys(of) {
		key = s.key(of[name], key+name+"=")
	}
	o := s.object(key, of)
	s.setItem(o, item)
	return value{objects: []*object{o}}
}

// listed evaluates list.
func (s *scope) listed(c *parse.CommandNode, args []value) value {
	made := s.made(c, nil, joinAll(args))
	s.setList(made.objects[0], append([]value{}, args...))
	return made
}

// split evaluates split and splitList, of constants.
func (s *scope) split(name string, c *parse.CommandNode, args []value) value {
	all := joinAll(args)
	s.readAll(all)
	if len(args) != 2 {
		return computed()
	}
	separators, isKnown := args[0].constants()
	texts, ok := args[1].constants()
	if !ok || !isKnown || len(separators) != 1 {
		return computed()
	}
	var lists value
	for _, text := range texts {
		var items []value
		fields := map[string]value{}
		for i, part := range strings.Split(text, separators[0]) {
			items = append(items, constant(part))
			if name == "split" {
				fields["_"+strconv.Itoa(i)] = constant(part)
			}
		}
		item := joinAll(items)
		if name == "split" {
			item = value{}
		}
		made := s.made(c, fields, item)
		s.setList(made.objects[0], items)
		lists, _ = lists.join(made)
	}
	return lists
}

// included evaluates include and template.
func (s *scope) included(name, dot value) (result value) {
	for _, one := range s.names(name) {
		if len(s.defines[one]) == 0 {
			s.isMissing = true
		}
		for _, tree := range s.defines[one] {
			result, _ = result.join(s.result(tree, dot))
		}
	}
	if result.isNothing() {
		return computed()
	}
	return result
}

func (s *scope) dict(c *parse.CommandNode, args []value) value {
	of, item := map[string]value{}, value{}
	for i := 0; i+1 < len(args); i += 2 {
		names, ok := args[i].constants()
		if !ok {
			s.readAll(args[i])
			item, _ = item.join(args[i+1])
		}
		for _, name := range names {
			of[name], _ = of[name].join(args[i+1])
		}
	}
	return s.made(c, of, item)
}

// setField evaluates set: a map of values, or one that a template made, gets a field.
func (s *scope) setField(args []value) value {
	if len(args) != 3 {
		return value{}
	}
	m, key, v := args[0], args[1], args[2]
	names, ok := key.constants()
	for _, o := range m.objects {
		if !ok {
			s.readAll(key)
			s.setItem(o, v)
		}
		for _, name := range names {
			s.set(o, name, v)
		}
	}
	if len(m.refs) > 0 { // what is set is somewhere in the values, where it is not followed
		s.readAll(v)
		s.readAll(key)
	}
	return m
}

// picked evaluates pick: only the named fields are read.
func (s *scope) picked(c *parse.CommandNode, args []value) value {
	if len(args) == 0 {
		return value{}
	}
	of := map[string]value{}
	for _, key := range args[1:] {
		names, ok := key.constants()
		if !ok {
			s.readAll(joinAll(args))
			return args[0]
		}
		for _, name := range names {
			of[name] = s.field(args[0], name)
		}
	}
	return s.made(c, of, value{})
}

// combined evaluates the functions whose result has fields or items of their arguments. merge and unset change their first
// argument, which is the result.
func (s *scope) combined(name string, c *parse.CommandNode, args []value) value {
	switch name {
	case "omit", "unset", "slice", "deepCopy", "without", "chunk":
		if len(args) == 0 {
			return value{}
		}
		first := args[0]
		if name == "chunk" || name == "slice" {
			first = joinAll(args)
		}
		if len(args) > 1 {
			for _, v := range args[1:] {
				s.readAll(value{refs: v.refs})
			}
		}
		return first
	case "append", "prepend", "push":
		all := value{}
		if len(args) > 0 {
			all = s.items(args[0])
		}
		for _, v := range args[min(1, len(args)):] {
			all, _ = all.join(v)
		}
		made := s.made(c, nil, all)
		if lists, ok := s.lists(joinAll(args[:min(1, len(args))])); ok && len(lists) == 1 && name == "append" && len(args) == 2 {
			s.setList(made.objects[0], append(slices.Clip(lists[0]), args[1]))
		} else {
			s.setList(made.objects[0], nil)
		}
		if len(args) > 0 {
			made, _ = made.join(value{refs: args[0].refs}) // its keys are read as it is
		}
		return made
	case "merge", "mergeOverwrite":
		all := joinAll(args)
		if len(args) > 0 {
			for _, o := range args[0].objects {
				s.mergeInto(o, args[1:])
			}
			if len(args[0].refs) > 0 { // the values themselves are changed: what is merged is read where they are
				for _, v := range args[1:] {
					s.readAll(value{objects: v.objects})
				}
			}
		}
		return all
	}
	for _, v := range args {
		s.test(v)
	}
	return joinAll(args)
}

// mergeInto adds the fields of maps to one that a template made.
func (s *scope) mergeInto(o *object, from []value) {
	for _, v := range from {
		for _, other := range v.objects {
			if other == o {
				continue
			}
			s.look(other)
			s.spend(len(other.fields))
			for _, name := range sortedKeys(other.fields) {
				s.set(o, name, other.fields[name])
			}
			s.setItem(o, other.item)
		}
		for _, n := range s.nodes(v) {
			if !slices.Contains(o.bases, n) {
				o.bases = append(o.bases, n)
				s.enqueue(o.seen...)
				if s.spend(len(o.bases)); len(o.bases) > mostPlaces {
					s.steps = 0
				}
			}
		}
	}
}

// printed evaluates print and printf: a constant, or a text with a known beginning and end.
func (s *scope) printed(name string, args []value) value {
	for _, v := range args {
		s.readAll(v)
	}
	var parts []value
	if name == "print" {
		parts = args
	} else if len(args) > 0 && len(args[0].texts) == 1 {
		left := args[1:]
		for i, text := range strings.Split(args[0].texts[0], "%s") {
			if strings.Contains(text, "%") {
				return computed()
			}
			if i > 0 {
				if len(left) == 0 {
					return computed()
				}
				parts, left = append(parts, left[0]), left[1:]
			}
			parts = append(parts, constant(text))
		}
	}
	begin, end := []string{""}, ""
	for i, v := range parts {
		texts, ok := v.constants()
		if !ok || len(begin)*len(texts) > mostTexts {
			for j := len(parts) - 1; j > i; j-- {
				texts, ok := parts[j].constants()
				if !ok || len(texts) > 1 {
					break
				}
				end = texts[0] + end
			}
			if len(begin) > 1 {
				begin[0] = ""
			}
			return value{isComputed: true, prefix: begin[0], suffix: end}
		}
		var all []string
		for _, before := range begin {
			for _, text := range texts {
				all = append(all, before+text)
			}
		}
		begin = all
	}
	return value{texts: begin}
}
