package validations

import (
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// document is the document that the rules in the table apply to.
const document = `name: Web
min: 5
max: 3
mode: fast
enabled: true
empty: ""
cidr: 10.0.0.1/8
address: 300.1.1.1
url: http://example.com:80/x
size: 2Gi
version: 1.2.x
percent: 120%
tags: [a, b, a]
ports:
  - {name: http, start: 80, end: 90}
  - {name: dns, start: 53, end: 50}
  - {name: alt, start: 8000}
  - {name: http, start: 443, end: 443}
labels:
  team: web
  a.b/c: X
when: "2026-01-02T03:04:05Z"
wait: 90s
rule:
  deep: {on: true}
`

const documentSchema = `
type: object
properties:
  name: {type: string}
  min: {type: integer}
  max: {type: integer}
  mode: {type: string}
  enabled: {type: boolean}
  empty: {type: string}
  cidr: {type: string}
  address: {type: string}
  url: {type: string}
  size: {type: string}
  version: {type: string}
  percent: {x-kubernetes-int-or-string: true}
  tags: {type: array, items: {type: string}}
  ports:
    type: array
    items:
      type: object
      properties: {name: {type: string}, start: {type: integer}, end: {type: integer}}
  labels: {type: object, additionalProperties: {type: string}}
  when: {type: string, format: date-time}
  wait: {type: string, format: duration}
  absent: {type: string}
  rule:
    type: object
    properties: {deep: {type: object, properties: {on: {type: boolean}}}}
`

// Each row is a false rule and what is marked for it, as LINE: TEXT, where TEXT is the marked text of the document.
var blameTable = []struct{ rule, want string }{
	// Comparisons: if two fields are out of order, the right one is marked, because it is measured against the left.
	{"self.min < self.max", "3: 3"},
	{"self.max > self.min", "2: 5"},
	{"self.min <= 4", "2: 5"},
	{"4 >= self.min", "2: 5"},
	{"self.name == 'web'", "1: Web"},
	{"self.name != 'Web'", "1: Web"},
	{"self.name == self.mode", "1: Web"},
	{"self.min + self.max == 9", "2: 5"},
	{"-self.min > 0", "2: 5"},
	{"self.min % 2 == 0", "2: 5"},

	// Logic: only operands with the wrong value are marked. If several are equally wrong, the first in the file is
	// marked.
	{"self.enabled && self.min == 0", "2: 5"},
	{"self.max == 0 && self.min == 0", "2: 5"},
	{"self.mode == 'slow' || self.name == 'web'", "1: Web"},
	{"!self.enabled", "5: true"},
	{"!(self.enabled && self.min == 5)", "2: 5"},
	{"self.enabled ? self.max > 5 : true", "3: 3"},
	{"self.min > 9 ? true : self.mode == 'slow'", "4: fast"},
	{"self.enabled ? false : true", "5: true"},

	// Presence: the field is marked if it is present, otherwise the key of the object that lacks it.
	{"!has(self.mode)", "4: fast"},
	{"has(self.absent)", "1: name"},
	{"has(self.rule) && has(self.absent)", "1: name"},
	{"has(self.enabled) != has(self.mode)", "5: true"},
	{"!has(self.rule.deep)", "25: deep"},

	// Macros: the deciding item, and what was read of it, are marked.
	{"self.ports.all(p, !has(p.end) || p.start < p.end)", "16: 50"},
	{"self.ports.all(p, has(p.end))", "17: {name: alt, start: 8000}"},
	{"self.ports.exists(p, p.start == 22)", "14: ports"},
	{"!self.ports.exists(p, p.start == 8000)", "17: 8000"},
	{"self.ports.exists_one(p, p.name == 'http')", "18: http"},
	{"self.ports.exists_one(p, p.name == 'ftp')", "14: ports"},
	{"self.tags.all(t, self.tags.exists_one(u, u == t))", "13: a"},
	{"self.ports.map(p, p.name).all(n, n != 'alt')", "17: alt"},
	{"self.ports.filter(p, !has(p.end)).size() == 0", "17: {name: alt, start: 8000}"},
	{"self.labels.all(k, self.labels[k] != 'X')", "21: X"},
	{"self.ports.all(i, p, i < 3 || p.start < 100)", "18: 443"},
	{"self.labels.exists(k, v, v == 'shop')", "19: labels"},

	// Indexes and lists.
	{"self.ports[1].start == 54", "16: 53"},
	{"self.labels['a.b/c'] == 'x'", "21: X"},
	{"'team' in self.labels && self.labels['team'] == 'shop'", "20: web"},
	{"self.mode in ['slow', 'slower']", "4: fast"},
	{"'c' in self.tags", "13: tags"},
	{"self.tags == ['a', 'b']", "13: tags"},
	{"size(self.tags) <= 2", "13: tags"},

	// Libraries: the arguments are marked.
	{"self.name.matches('^[a-z]+$')", "1: Web"},
	{"self.name.startsWith('w')", "1: Web"},
	{"self.name.lowerAscii() == self.name && self.enabled", "1: Web"},
	{"size(self.empty) > 0", `6: ""`},
	{"isCIDR(self.cidr) && cidr(self.cidr).masked() == cidr(self.cidr)", "7: 10.0.0.1/8"},
	{"isIP(self.address)", "8: 300.1.1.1"},
	{"url(self.url).getPort() == ''", "9: http://example.com:80/x"},
	{"quantity(self.size).isLessThan(quantity('1Gi'))", "10: 2Gi"},
	{"isSemver(self.version)", "11: 1.2.x"},
	{"type(self.percent) == int", "12: 120%"},
	{"sets.contains(['a'], self.tags)", "13: tags"},
	{"self.tags.isSorted()", "13: tags"},
	{"self.url.find('https') != ''", "9: http://example.com:80/x"},
	{"!format.dns1123Label().validate(self.name).hasValue()", "1: Web"},
	{"self.when < timestamp('2020-01-01T00:00:00Z')", `22: "2026-01-02T03:04:05Z"`},
	{"self.wait.getSeconds() < 60", "23: 90s"},
	{"self.?absent.orValue('x') == 'y'", "1: name"},

	// Errors: what was read when the error occurred is marked.
	{"self.ports[7].start == 1", "14: ports"},
	{"1 / (self.min - 5) == 1", "2: 5"},

	// Nothing was read.
	{"1 == 2", "1: name"},
}

func TestTheOperandThatDecidedAFalseRuleIsMarked(t *testing.T) {
	src := &source.Source{Name: "a.yaml", Text: document}
	tree := readTree(t, src)
	for _, row := range blameTable {
		rules := NewRules(compileSchema(t,
			documentSchema+"x-kubernetes-validations: [{message: wrong, rule: "+strconv.Quote(row.rule)+"}]\n"))
		violations := rules.Check(nil, tree.Root(), manifest.Node{}).Violations
		for _, v := range rules.Broken() {
			t.Errorf("%s: %s", row.rule, v.Message)
		}
		if len(violations) != 1 {
			t.Errorf("%s: have %d violations, want 1", row.rule, len(violations))
			continue
		}
		if have := marked(src, violations[0].Place); have != row.want {
			t.Errorf("%s:\n have %s\n want %s\n help %s", row.rule, have, row.want, violations[0].Help)
		}
	}
}

// marked returns the line of a place and the text that it marks.
func marked(src *source.Source, p source.Place) string {
	line := strings.Split(src.Text, "\n")[p.Start().Line-1]
	end := len(line)
	if p.End().Line == p.Start().Line {
		end = p.End().Column - 1
	}
	return strings.TrimSpace(strings.Join([]string{strconv.Itoa(p.Start().Line), line[p.Start().Column-1 : end]}, ": "))
}

func readTree(t testing.TB, src *source.Source) *manifest.Tree { return celtest.ReadTree(t, src) }

func compileSchema(t testing.TB, text string) *schema.Schema { return celtest.CompileSchema(t, text) }
