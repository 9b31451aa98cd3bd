package rule

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestUniqueGoesAlone(t *testing.T) {
	for text, want := range map[string]string{
		"unique: self":                        "",
		"unique: a.b":                         "",
		"unique: a[]":                         "must be self or a path of field names",
		"unique: '*'":                         "must be self or a path of field names",
		"unique: self\ncheck: self == 1":      "check cannot be combined with unique",
		"unique: self\nwritten: {raw: a}":     "written cannot be combined with unique",
		"unique: self\nkey: [namespace,name]": "key cannot be combined with unique",
	} {
		_, violations := Parse(&source.Source{Name: "rule.yaml", Text: ownRule + "each: list\n" + text + "\n"})
		have := ""
		if len(violations) > 0 {
			have = violations[0].Message
		}
		if have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}

func TestTargetsAreCheckedWhenARuleIsRead(t *testing.T) {
	const start = ownRule + "each: uses\nkey: [namespace, self]\n"
	for text, want := range map[string]string{
		"target: {kinds: [A], key: [namespace, name]}":                             "",
		"target: {type: PodSpec, key: [namespace, name]}":                          "",
		"target: {key: [namespace, name]}":                                         "a target requires kinds or type, and a key with 2 parts, as many as the key of the rule",
		"target: {kinds: [A], key: [name]}":                                        "a target requires kinds or type, and a key with 2 parts, as many as the key of the rule",
		"target: {kinds: [A], type: Pods, key: [namespace, name]}":                 `unknown type: "Pods"`,
		"target: {kinds: [A], among: here, key: [namespace, name]}":                `unknown value of among: "here"`,
		"target: {kinds: [A], each: 'a[b', key: [namespace, name]}":                `not a valid path: "a[b"`,
		"target: {kinds: [A], each: '**.a.**', key: [namespace, name]}":            `a path can have ** only once: "**.a.**"`,
		"target: {kinds: [A], labels: a, key: [namespace, name]}":                  "selector and labels of target require each other",
		"selector: a\ntarget: {kinds: [A], key: [namespace, name]}":                "selector and labels of target require each other",
		"selector: a\ntarget: {kinds: [A], labels: a.b, key: [namespace, name]}":   "",
		"selector: 'a[b'\ntarget: {kinds: [A], labels: a, key: [namespace, name]}": `not a valid path: "a[b"`,
	} {
		_, violations := Parse(&source.Source{Name: "rule.yaml", Text: start + text + "\n"})
		have := ""
		if len(violations) > 0 {
			have = violations[0].Message
		}
		if have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}

func TestFixesAreCheckedWhenARuleIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"fix: {applicability: safe, quote: value}":                                          "",
		"fix: {applicability: unsafe, remove: a.b, set: {self: 1, c.d: [x]}}":               "",
		"fix: [{applicability: safe, remove: self}, {applicability: choice, remove: item}]": "",
		"fix: {none: nobody knows}":                                                         "",
		"fix: {none: ''}":                                                                   "must say why there is no fix",
		"fix: {none: why, quote: value}":                                                    `unknown field "quote"`,
		"fix: remove":                                                                       "must be an object or a list of objects",
		"fix: [remove]":                                                                     "must be an object, got string",
		"fix: []":                                                                           "must be an object or a list of objects",
		"fix: {quote: value}":                                                               "applicability must be safe, unsafe or choice",
		"fix: {applicability: sure, quote: value}":                                          "applicability must be safe, unsafe or choice",
		"fix: {applicability: safe, quote: text}":                                           "must be value, key or escaped",
		"fix: {applicability: safe}":                                                        "a fix requires quote, replace, rename, raw, between, remove, set or nearest",
		"fix: {applicability: safe, remove: 'a[]'}":                                         "must be self or a path of field names",
		"fix: {applicability: safe, set: {'a.*': 1}}":                                       "must be self or a path of field names",
		"fix: {applicability: safe, nearest: true}":                                         "nearest requires misspelled or target",
		"fix: {applicability: safe, remove: self, repeated: false}":                         "must be true",
		"fix: {applicability: safe, replace: 'self +'}":                                     "Syntax error: mismatched input '<EOF>' expecting an expression",
		"fix: {applicability: safe, replace: '1'}":                                          "must return string, got int",
		"secret: true\nfix: {applicability: safe, quote: value}":                            "a rule about secrets cannot have a fix, which would show them",
	} {
		_, violations := Parse(&source.Source{Name: "rule.yaml", Text: ownRule + "each: list\n" + text + "\n"})
		have := ""
		if len(violations) > 0 {
			have = violations[0].Message
		}
		if have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}
