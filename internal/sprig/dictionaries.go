package sprig

import (
	"fmt"
	"net/url"
	"reflect"
	"text/template"

	"dario.cat/mergo"
)

// dictionaries returns the functions about dictionaries and URLs.
func dictionaries() template.FuncMap {
	return template.FuncMap{
		"dict": dict, "get": get, "set": set, "unset": unset, "hasKey": hasKey, "pluck": pluck,
		"pick": pick, "omit": omit, "dig": dig,
		"mustMerge": mergeWith(mergo.Merge), "mustMergeOverwrite": mergeWith(overwrite),
		"merge": func(into map[string]any, from ...map[string]any) any {
			return orEmpty(mergeWith(mergo.Merge)(into, from...))
		},
		"mergeOverwrite": func(into map[string]any, from ...map[string]any) any {
			return orEmpty(mergeWith(overwrite)(into, from...))
		},
		"urlParse": urlParse, "urlJoin": urlJoin,
	}
}

func dict(list ...any) map[string]any {
	made := map[string]any{}
	for i := 0; i < len(list); i += 2 {
		if key := textOf(list[i]); i+1 < len(list) {
			made[key] = list[i+1]
		} else {
			made[key] = ""
		}
	}
	return made
}

func get(dict map[string]any, key string) any {
	if v, ok := dict[key]; ok {
		return v
	}
	return ""
}

func set(dict map[string]any, key string, v any) map[string]any {
	dict[key] = v
	return dict
}

func unset(dict map[string]any, key string) map[string]any {
	delete(dict, key)
	return dict
}

func hasKey(dict map[string]any, key string) bool {
	_, ok := dict[key]
	return ok
}

func pluck(key string, dicts ...map[string]any) []any {
	found := []any{}
	for _, dict := range dicts {
		if v, ok := dict[key]; ok {
			found = append(found, v)
		}
	}
	return found
}

func pick(dict map[string]any, keys ...string) map[string]any {
	picked := map[string]any{}
	for _, key := range keys {
		if v, ok := dict[key]; ok {
			picked[key] = v
		}
	}
	return picked
}

func omit(dict map[string]any, keys ...string) map[string]any {
	omitted := make(map[string]bool, len(keys))
	for _, key := range keys {
		omitted[key] = true
	}
	rest := map[string]any{}
	for key, v := range dict {
		if !omitted[key] {
			rest[key] = v
		}
	}
	return rest
}

type merger = func(dst, src any, opts ...func(*mergo.Config)) error

func overwrite(dst, src any, _ ...func(*mergo.Config)) error {
	return mergo.Merge(dst, src, mergo.WithOverride)
}

func mergeWith(merge merger) func(into map[string]any, from ...map[string]any) (any, error) {
	return func(into map[string]any, from ...map[string]any) (any, error) {
		for _, dict := range from {
			if err := merge(&into, dict); err != nil {
				return nil, err
			}
		}
		return into, nil
	}
}

func orEmpty(v any, err error) any {
	if err != nil {
		return ""
	}
	return v
}

// dig returns the value that keys lead to in the last argument, or the one before it.
func dig(list ...any) (any, error) {
	if len(list) < 3 {
		panic("dig needs at least three arguments")
	}
	at, other := list[len(list)-1], list[len(list)-2]
	dict := at.(map[string]any)
	keys := make([]string, len(list)-2)
	for i := range keys {
		keys[i] = list[i].(string)
	}
	for i, key := range keys {
		v, ok := dict[key]
		if !ok {
			return other, nil
		}
		if i == len(keys)-1 {
			return v, nil
		}
		dict = v.(map[string]any)
	}
	return other, nil
}

func urlParse(text string) map[string]any {
	u, err := url.Parse(text)
	if err != nil {
		panic(fmt.Sprintf("unable to parse url: %s", err))
	}
	user := ""
	if u.User != nil {
		user = u.User.String()
	}
	return map[string]any{
		"scheme": u.Scheme, "host": u.Host, "hostname": u.Hostname(), "path": u.Path, "query": u.RawQuery,
		"opaque": u.Opaque, "fragment": u.Fragment, "userinfo": user,
	}
}

func urlJoin(dict map[string]any) string {
	part := func(key string) string {
		v, ok := dict[key]
		if !ok {
			return ""
		}
		if kind := reflect.TypeOf(v).Kind(); kind != reflect.String {
			panic(fmt.Sprintf("unable to parse %s key, must be of type string, but %s found", key, kind))
		}
		return reflect.ValueOf(v).String()
	}
	u := url.URL{
		Scheme: part("scheme"), Host: part("host"), Path: part("path"), RawQuery: part("query"),
		Opaque: part("opaque"), Fragment: part("fragment"),
	}
	if user := part("userinfo"); user != "" {
		parsed, err := url.Parse("proto://" + user + "@host")
		if err != nil {
			panic(fmt.Sprintf("unable to parse userinfo in dict: %s", err))
		}
		u.User = parsed.User
	}
	return u.String()
}
