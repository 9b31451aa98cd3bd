package sprig

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/goutils"
	"github.com/huandu/xstrings"
)

// texts returns the functions about strings and paths.
func texts() template.FuncMap {
	trimAll := func(cutset, text string) string { return strings.Trim(text, cutset) }
	return template.FuncMap{
		"abbrev": abbrev, "abbrevboth": abbrevBoth, "trunc": truncate, "trim": strings.TrimSpace, "upper": strings.ToUpper,
		"lower": strings.ToLower, "title": title, "untitle": func(text string) string { return goutils.Uncapitalize(text) },
		"substr": substring, "repeat": func(count int, text string) string { return strings.Repeat(text, count) },
		"trimall": trimAll, "trimAll": trimAll,
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"trimPrefix": func(prefix, text string) string { return strings.TrimPrefix(text, prefix) },
		"nospace":    goutils.DeleteWhiteSpace, "initials": func(text string) string { return goutils.Initials(text) },
		"swapcase": goutils.SwapCase, "snakecase": xstrings.ToSnakeCase, "camelcase": xstrings.ToPascalCase,
		"kebabcase": xstrings.ToKebabCase,
		"wrap":      func(width int, text string) string { return goutils.Wrap(text, width) },
		"wrapWith":  func(width int, sep, text string) string { return goutils.WrapCustom(text, width, sep, true) },
		"contains":  func(part, text string) bool { return strings.Contains(text, part) },
		"hasPrefix": func(prefix, text string) bool { return strings.HasPrefix(text, prefix) },
		"hasSuffix": func(suffix, text string) bool { return strings.HasSuffix(text, suffix) },
		"quote":     quote, "squote": singleQuote, "cat": concatenate, "indent": indent,
		"nindent": func(width int, text string) string { return "\n" + indent(width, text) },
		"replace": func(old, new, text string) string { return strings.ReplaceAll(text, old, new) },
		"plural":  plural, "toString": textOf, "toStrings": textsOf, "join": join, "sortAlpha": sortAlpha, "split": split,
		"splitList": func(sep, text string) []string { return strings.Split(text, sep) }, "splitn": splitN,
		"base": path.Base, "dir": path.Dir, "clean": path.Clean, "ext": path.Ext, "isAbs": path.IsAbs,
		"osBase": filepath.Base, "osClean": filepath.Clean, "osDir": filepath.Dir, "osExt": filepath.Ext,
		"osIsAbs": filepath.IsAbs,
	}
}

// title makes the first letter of each word upper case. A word starts after anything that is not a letter, a digit or
// an underscore.
func title(text string) string {
	//lint:ignore SA1019 Helm has the word boundaries of strings.Title.
	return strings.Title(text)
}

func abbrev(width int, text string) string {
	if width < 4 {
		return text
	}
	short, _ := goutils.Abbreviate(text, width)
	return short
}

func abbrevBoth(left, right int, text string) string {
	if right < 4 || left > 0 && right < 7 {
		return text
	}
	short, _ := goutils.AbbreviateFull(text, left, right)
	return short
}

// truncate returns the first n bytes, or the last -n.
func truncate(n int, text string) string {
	switch {
	case n < 0 && len(text)+n > 0:
		return text[len(text)+n:]
	case n >= 0 && len(text) > n:
		return text[:n]
	}
	return text
}

func substring(start, end int, text string) string {
	switch {
	case start < 0:
		return text[:end]
	case end < 0 || end > len(text):
		return text[start:]
	}
	return text[start:end]
}

func quote(list ...any) string {
	quoted := make([]string, 0, len(list))
	for _, v := range list {
		if v != nil {
			quoted = append(quoted, strconv.Quote(textOf(v)))
		}
	}
	return strings.Join(quoted, " ")
}

func singleQuote(list ...any) string {
	quoted := make([]string, 0, len(list))
	for _, v := range list {
		if v != nil {
			quoted = append(quoted, fmt.Sprintf("'%v'", v))
		}
	}
	return strings.Join(quoted, " ")
}

func concatenate(list ...any) string {
	list = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v == nil })
	return fmt.Sprintf(strings.TrimSpace(strings.Repeat("%v ", len(list))), list...)
}

func indent(width int, text string) string {
	blanks := strings.Repeat(" ", width)
	return blanks + strings.ReplaceAll(text, "\n", "\n"+blanks)
}

func plural(one, many string, count int) string {
	if count == 1 {
		return one
	}
	return many
}

// textOf returns a value as a string.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprintf("%v", v)
}

// textsOf returns the items of a list as strings, without nil. Any other value is a list of one item.
func textsOf(v any) []string {
	if list, ok := v.([]string); ok {
		return list
	}
	if v == nil {
		return []string{}
	}
	list := reflect.ValueOf(v)
	if kind := list.Kind(); kind != reflect.Array && kind != reflect.Slice {
		return []string{textOf(v)}
	}
	texts := make([]string, 0, list.Len())
	for i := range list.Len() {
		if item := list.Index(i).Interface(); item != nil {
			texts = append(texts, textOf(item))
		}
	}
	return texts
}

func join(sep string, v any) string { return strings.Join(textsOf(v), sep) }

// sortAlpha sorts a list of strings in place, and a list of anything else as strings.
func sortAlpha(v any) []string {
	if kind := reflect.Indirect(reflect.ValueOf(v)).Kind(); kind != reflect.Slice && kind != reflect.Array {
		return []string{textOf(v)}
	}
	texts := textsOf(v)
	slices.Sort(texts)
	return texts
}

func split(sep, text string) map[string]string { return numbered(strings.Split(text, sep)) }

func splitN(sep string, n int, text string) map[string]string {
	return numbered(strings.SplitN(text, sep, n))
}

// numbered returns a dictionary of texts with the keys _0, _1 and so on.
func numbered(texts []string) map[string]string {
	dict := make(map[string]string, len(texts))
	for i, text := range texts {
		dict["_"+strconv.Itoa(i)] = text
	}
	return dict
}
