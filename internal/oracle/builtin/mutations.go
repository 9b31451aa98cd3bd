package builtin

import (
	"encoding/json"
	"math/rand/v2"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// mutation changes a value, or does nothing and returns false if it does not apply to it.
type mutation struct {
	name  string
	apply func(r *rand.Rand, s site) bool
}

// mutations change the shape of an object, not its meaning.
var mutations = []mutation{
	{"null", func(_ *rand.Rand, s site) bool { s.set(plain("null")); return true }},
	{"other type", setOtherType},
	{"quotes", changeQuotes},
	{"unknown field", addUnknownField},
	{"duplicate key", repeatField},
	{"letter case", changeCase},
	{"number", oneOf(numbers, plain)},
	{"quantity", quantity},
	{"time", oneOf(times, quoted)},
	{"base64", oneOf(blobs, quoted)},
	{"string", oneOf(strs, quoted)},
	{"plain scalar", oneOf(scalars, plain)},
	{"key", changeKey},
	{"list", changeList},
	{"no field", func(_ *rand.Rand, s site) bool { s.remove(); return true }},
	{"empty", func(r *rand.Rand, s site) bool {
		s.set([]*yaml.Node{quoted(""), list(), mapping()}[r.IntN(3)])
		return true
	}},
}

var (
	numbers = []string{
		"0", "-0", "1", "-1", "80", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967296",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "99999999999999999999",
		"3.0", "3.5", "-3.0", "-0.0", "0.1", "1e1", "1E2", "1e+1", "10e-1", "1e-1", "1.0e1", "1.5e1", "1e9", "1e10",
		"2147483647.0", "2147483648.0", "1e18", "1e19", "1e20", "1e308", "1e309", "1e-400", "9007199254740993",
		"9007199254740993.0", "9223372036854775807.0", "0.99999999999999999",
	}
	// The server computes powers of ten exactly, so it is busy for minutes with an exponent such as 999999999.
	quantities = []string{
		"1", "0", "-1", "+1", "1.5", ".5", "5.", ".", "1m", "1.5m", "0.1m", "1u", "1n", "1k", "1K", "1M", "1G", "1T", "1P",
		"1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei", "1ki", "1mi", "1Gb", "1GB", "1gi", "1B", "1e3", "1E3", "1e-3",
		"1e+3", "1e", "1e3Mi", "1E3Gi", "e3", "1e9999", "1Zi", "1 Gi", " 1Gi", "1Gi ", "\t1", "\n1\n", "", " ", "Gi", "m",
		"--1", "+-1", "1..2", "1.2.3", "1,5", "1_000", "0x10", "010", "00", "1i", "1Kii", "NaN", "Inf", "true",
		"99999999999999999999", "1000000000000000000000E", "9Ei", "0.0000000000001", "１", "1e99",
	}
	times = []string{
		"2026-01-02T03:04:05Z", "2026-01-02T03:04:05z", "2026-01-02t03:04:05Z", "2026-01-02T03:04:05+01:00",
		"2026-01-02T03:04:05+0100", "2026-01-02T03:04:05", "2026-01-02", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05.1Z",
		"2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.1234567Z", "2026-01-02T03:04:05.123456789+01:00",
		"2026-01-02T03:04:05,123456Z", "2026-01-02T03:04Z", "2026-1-2T3:4:5Z", "2026-01-02T24:00:00Z",
		"2026-02-30T03:04:05Z", "2026-01-02T03:04:60Z", "2026-01-02T03:04:05+25:00", "2026-01-02T03:04:05-00:00",
		"0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "", "null", "now", "0", "2026-01-02T03:04:05.Z",
		" 2026-01-02T03:04:05Z", "2024-02-29T00:00:00Z", "2026-01-02T3:04:05Z", "2026-01-02T03:04:05.000000+01:00",
	}
	blobs = []string{
		"", "YQ==", "YQ=", "YQ", "YWI=", "YWJj", "YW Jj", "YW\nJj", "YWJj\n", "\r\nYWJj", " YWJj", "-_8=", "+/8=", "Y",
		"====", "YQ==YQ==", "YR==", "Y\u00e9==", "hello", "YWJj\t",
	}
	strs = []string{
		"", " ", "a", "A", "1", "1.5", "true", "null", "50%", "-1%", "1.5%", "%", "http", "é", "😀", "a\nb", "a\tb", "\u0000",
		"\u2028", "\ufeff", "\u007f", "yes", "0x1", "~", "9999999999", "2147483648", "1e1",
	}
	scalars = []string{
		"yes", "no", "on", "off", "y", "n", "Yes", "True", "TRUE", "~", "Null", "0x10", "0o17", "017", "1_000", "+5", "0b11",
		".5", "5.", ".inf", "-.INF", ".nan", "1:30", "2026-01-02", "2026-01-02T03:04:05Z", "08", "1e3", "=", "<<", "true",
		"false", "null",
	}
)

func oneOf(values []string, node func(string) *yaml.Node) func(*rand.Rand, site) bool {
	return func(r *rand.Rand, s site) bool {
		if s.value().Kind != yaml.ScalarNode {
			return false
		}
		s.set(node(values[r.IntN(len(values))]))
		return true
	}
}

// quantity sets one of the spellings of quantities, with quotes or without.
func quantity(r *rand.Rand, s site) bool {
	return oneOf(quantities, []func(string) *yaml.Node{plain, quoted}[r.IntN(2)])(r, s)
}

func setOtherType(r *rand.Rand, s site) bool {
	values := []*yaml.Node{
		plain("1"), plain("1.5"), plain("true"), quoted("a"), list(), mapping(), list(quoted("a")), list(plain("1")),
		list(mapping()), list(list()),
		mapping(plain("a"), quoted("b")), mapping(plain("a"), plain("1")), mapping(plain("a"), mapping()),
		list(plain("null")), mapping(plain("a"), plain("null")),
		list(clone(s.value())), mapping(plain("a"), clone(s.value())),
	}
	s.set(values[r.IntN(len(values))])
	return true
}

// changeQuotes makes a string of another scalar, or the reverse.
func changeQuotes(_ *rand.Rand, s site) bool {
	n := s.value()
	switch {
	case n.Kind != yaml.ScalarNode:
		return false
	case isPlain(n) && json.Valid([]byte(n.Value)):
		s.set(quoted(n.Value))
	case n.Value != "" && json.Valid([]byte(n.Value)):
		s.set(plain(n.Value))
	default:
		return false
	}
	return true
}

func addUnknownField(r *rand.Rand, s site) bool {
	if !s.isField() {
		return false
	}
	key := s.key()
	names := []string{
		"x", "extra", key + "s", strings.TrimSuffix(key, "s") + "x", strings.ToValidUTF8(key[:len(key)/2], ""), "metadata",
		"spec", "name", "", "a.b/c", "Kind", "é", "a b", `a"b`,
	}
	values := []*yaml.Node{plain("null"), plain("1"), quoted("a"), mapping(), list(), clone(s.value())}
	s.insert(quoted(names[r.IntN(len(names))]), values[r.IntN(len(values))])
	return true
}

func repeatField(r *rand.Rand, s site) bool {
	if !s.isField() {
		return false
	}
	values := []*yaml.Node{clone(s.value()), plain("null"), plain("1"), quoted("a"), mapping(), list()}
	s.insert(clone(s.parent.Content[s.index-1]), values[r.IntN(len(values))])
	return true
}

func changeCase(r *rand.Rand, s site) bool {
	if !s.isField() || s.key() == "" {
		return false
	}
	key := s.key()
	changed := []string{
		strings.ToUpper(key), strings.ToLower(key), strings.ToUpper(key[:1]) + key[1:], strings.ToLower(key[:1]) + key[1:],
		strings.ReplaceAll(key, "s", "\u017f"),
	}[r.IntN(5)]
	changed = strings.ToValidUTF8(changed, "") // the first byte may be half a character
	if changed == key {
		return false
	}
	s.setKey(quoted(changed))
	if r.IntN(3) == 0 {
		s.insert(plain(key), clone(s.value())) // both spellings
	}
	return true
}

// changeKey changes a key to one that is not a string in YAML.
func changeKey(r *rand.Rand, s site) bool {
	if !s.isField() {
		return false
	}
	s.setKey(plain([]string{"1", "true", "1.5", "yes", "-1", "1e3", "0x10"}[r.IntN(7)]))
	return true
}

// changeList changes the items of a list, makes a list of a value, or a value of a list.
func changeList(r *rand.Rand, s site) bool {
	n := s.value()
	if n.Kind != yaml.SequenceNode {
		s.set(list(n))
		return true
	}
	items := []*yaml.Node{plain("null"), mapping(), list(), plain("1"), quoted("a"), quoted("")}
	if len(n.Content) > 0 {
		items = append(items, clone(n.Content[0]), clone(n.Content[0]))
	}
	item := items[r.IntN(len(items))]
	switch r.IntN(4) {
	case 0:
		s.set(item)
	case 1:
		n.Content = append([]*yaml.Node{item}, n.Content...)
	default:
		n.Content = append(n.Content, item)
	}
	return true
}
