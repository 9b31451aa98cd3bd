package validations

import (
	"os"
	"strconv"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/test/celtest"
)

// These are the object, and its state before the update, on which the expressions in the table are evaluated.
const (
	expressed = `int: 7
zero: 0
least: -9223372036854775808
double: 2.5
whole: 3
text: "Straße"
word: web
empty: ""
isTrue: true
isFalse: false
maybe: null
port: 80
named: http
when: "2026-01-02T03:04:05Z"
day: "2026-01-02"
wait: 90s
data: aGVsbG8=
cidr: 10.0.0.0/8
address: 10.1.2.3
url: "https://example.com:8443/a/b?c=d"
size: 2Gi
version: 1.2.3
tags: [a, b, c]
set: [x, w, z]
numbers: [3, 1, 2]
doubles: [1.5, 2.5]
none: []
nested: [[1, 2], [3]]
ports:
  - {name: http, number: 80}
  - {name: dns, number: 53, protocol: UDP}
  - {name: alt}
byName:
  - {name: a, value: 1}
  - {name: b, value: 2}
labels: {team: web, a.b/c: X}
counts: {one: 1, two: 2}
emptyMap: {}
inner: {deep: {active: true, a-b: 1, if: 2}, other: x}
undeclared: 1
template: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {x: 1}}
wrong: {int: text, list: [1, two]}
`
	expressedBefore = `int: 6
word: web
set: [z, w, x]
tags: [c, b, a]
ports: [{name: http, number: 80}]
byName:
  - {name: b, value: 2}
  - {name: a, value: 1}
labels: {team: web, a.b/c: X}
inner: {deep: {active: false, a-b: 1}}
undeclared: 1
when: "2026-01-02T03:04:05Z"
`
)

// Closures and cel-go agree on the outcome of each expression: true, false or an error. If the order of evaluation,
// types or errors matter, there is an expression for each side.
var expressions = []string{
	// Arithmetic and its errors.
	"self.int + 1 == 8", "self.int - 8 == -1", "self.int * 2 == 14", "self.int / 2 == 3", "self.int % 2 == 1",
	"-self.int == -7", "self.int / self.zero == 1", "self.int % self.zero == 1", "self.least - 1 < 0",
	"self.least + self.least < 0", "-self.least > 0", "self.least * 2 < 0", "self.least / -1 > 0", "self.least % -1 == 0",
	"9223372036854775807 + self.int > 0", "self.least * -1 > 0", "4294967296 * 4294967296 > self.int",
	"3000000000 * self.int == 21000000000", "self.double + 0.5 == 3.0", "self.double * 2.0 == 5.0",
	"self.double / 0.0 > 1.0", "-self.double < 0.0", "self.double - 2.5 == 0.0", "self.word + 'x' == 'webx'",
	"self.text + self.word == 'Straßeweb'", "self.tags + ['d'] == ['a', 'b', 'c', 'd']",
	"self.set + ['x', 'w'] == ['w', 'x', 'z']", "(self.set + self.tags).size() == 6",
	"[1] + self.numbers == [1, 3, 1, 2]", "b'a' + b'b' == b'ab'", "self.when + duration('1h') > self.when",
	"self.wait + self.wait == duration('3m')", "1u + 2u == 3u",

	// Comparisons, within one type and between number types.
	"self.int < 8", "self.int <= 7", "self.int > 7", "self.int >= 7", "self.int < 7.5", "self.double < 3",
	"self.double >= 2u", "dyn(self.int) == 7.0", "dyn(self.whole) == 3", "self.whole == 3.0", "self.whole < self.double",
	"dyn(self.int) == 'x'", "dyn(self.int) != 'x'", "self.port == 80", "self.port == '80'", "self.named == 'http'",
	"self.port > 79", "self.named > 79", "self.port < 'z'", "self.word < 'wec'", "self.word >= 'web'",
	"self.isTrue > self.isFalse", "self.when < timestamp('2030-01-01T00:00:00Z')", "self.wait > duration('1m')",
	"self.data == b'hello'", "self.data < b'i'", "dyn(self.maybe) == null", "dyn(self.maybe) != null",
	"dyn(self.word) == null", "null != dyn(self.tags)", "null == null", "dyn(self.int) == 7u", "0.0 / 0.0 == 0.0 / 0.0",
	"0.0 / 0.0 < 1.0", "0.0 / 0.0 != 1.0", "self.double > 9223372036854775807", "self.least < -1.0e19",
	"type(self.int) == int", "type(self.port) == int", "type(self.named) != string", "type(self.tags) == list",
	"type(self.inner) == map", "type(self.when) == google.protobuf.Timestamp", "type(self.int) == type(self.zero)",
	"type(self.maybe) == null_type", "type(type(self.int)) == type",

	// Logic, and the errors that it absorbs.
	"self.isTrue && self.isFalse", "self.isTrue || self.isFalse", "!self.isFalse", "self.isTrue && self.absent == 'x'",
	"self.isFalse && self.absent == 'x'", "self.absent == 'x' && self.isFalse", "self.absent == 'x' || self.isTrue",
	"self.absent == 'x' || self.isFalse", "!(self.absent == 'x')", "self.absent == 'x' && self.isTrue",
	"self.isTrue ? self.int == 7 : self.absent == 'x'", "self.isFalse ? self.int == 7 : self.absent == 'x'",
	"self.absent == 'x' ? true : true", "(self.isTrue ? self.int : self.zero) == 7",
	"self.isTrue && self.isTrue && self.isTrue && self.int == 7",
	"self.isFalse || self.isFalse || self.isFalse || self.zero == 0",
	"(self.isTrue ? self.inner : self.inner).deep.active",

	// Fields, presence and indexes.
	"has(self.int)", "has(self.absent)", "has(self.maybe)", "has(self.inner.deep)", "has(self.absentObject.x)",
	"!has(self.absentObject) || has(self.absentObject.x)", "self.inner.deep.active", "self.inner.deep.a__dash__b == 1",
	"has(self.inner.deep.a__dash__b)", "self.inner.deep.__if__ == 2", "has(self.wrong.int)", "self.wrong.int == 1",
	"self.wrong.list[0] == 1", "self.wrong.list[1] == 1", "self.wrong.list.all(x, x > 0)",
	"self.wrong.list.exists(x, x == 1)", "self.wrong.list.exists(x, x == 5)", "1 in self.wrong.list",
	"5 in self.wrong.list", "self.wrong == self.wrong", "self.wrong.list.size() == 2", "self.labels['team'] == 'web'",
	"self.labels.team == 'web'", "has(self.labels.team)", "has(self.labels.none)", "self.labels['none'] == 'x'",
	"self.labels['a.b/c'] == 'X'", "'team' in self.labels", "'none' in self.labels",
	"self.counts['one'] + self.counts['two'] == 3", "self.tags[0] == 'a'", "self.tags[3] == 'a'", "self.tags[-1] == 'a'",
	"self.tags[self.zero] == 'a'", "self.tags[self.numbers[1]] == 'b'", "self.nested[0][1] == 2",
	"self.nested[1][1] == 2", "self.ports[0].name == 'http'", "self.ports[2].number == 1", "[1, 2, 3][self.zero] == 1",
	"[1, 2][self.int] == 1", "{'a': 1}['a'] == 1", "{'a': 1}[self.word] == 1", "{'web': {'x': 1}}[self.word].x == 1",
	"has({'a': 1}.a)", "{1: 'a'}[1] == 'a'", "{self.word: self.int}.web == 7", "{'a': self.tags}.a.size() == 3",
	"{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "'a' in {'a': 1}", "{'a': 1}.size() == 1",

	// Membership and equality of lists and maps.
	"self.word in ['a', 'web']", "self.word in ['a']", "self.word in []", "self.wrong.int in []", "self.wrong.int in [1]",
	"dyn(self.wrong.int) in ['a']", "self.int in [1, 7]", "dyn(self.int) in [7.0]", "self.port in [80, 443]",
	"self.named in ['http']", "dyn(self.int) in ['a']", "'a' in self.tags", "'q' in self.tags",
	"dyn(self.word) in [self.inner].map(x, dyn(x))", "dyn(self.inner) in self.tags.map(t, dyn(t))",
	"dyn(self.inner) in [self.inner].map(x, dyn(x))", "2 in self.numbers", "dyn(2.0) in dyn(self.numbers)",
	"self.ports[0] in self.ports", "self.word in self.tags", "self.tags == ['a', 'b', 'c']",
	"['a', 'b', 'c'] == self.tags", "self.tags == ['a', 'c', 'b']", "self.set == ['z', 'w', 'x']",
	"['z', 'w', 'x'] == self.set", "self.tags != self.set", "self.none == []", "self.emptyMap == {}",
	"self.numbers == [3, 1, 2]", "dyn(self.numbers) == [3.0, 1.0, 2.0]", "[3.0, 1.0, 2.0] == dyn(self.numbers)",
	"self.doubles == [1.5, 2.5]", "self.labels == {'team': 'web', 'a.b/c': 'X'}", "self.inner == self.inner",
	"dyn(self.inner.deep) == self.inner", "dyn(self.inner) == self.tags", "dyn(self.tags) == self.inner",
	"dyn(self.tags) != self.inner", "dyn(self.tags) == self.word", "self.ports == self.ports",
	"self.byName == self.byName", "self.counts == {'one': 1, 'two': 2}", "{'one': 1, 'two': 2} == self.counts",
	"self.nested == [[1, 2], [3]]", "self == self", "self.template == self.template",
	"self.template.metadata.name == 'p'", "has(self.template.metadata.generateName)", "self.template.kind == 'Pod'",
	"self.template.spec.x == 1",

	// Macros.
	"self.tags.all(t, t < 'd')", "self.tags.all(t, t < 'c')", "self.tags.exists(t, t == 'b')",
	"self.tags.exists(t, t == 'q')", "self.tags.exists_one(t, t > 'a')", "self.tags.exists_one(t, t > 'b')",
	"self.ports.exists_one(p, p.number == 53)", "self.tags.map(t, t + t) == ['aa', 'bb', 'cc']",
	"self.tags.map(t, t > 'a', t + t) == ['bb', 'cc']", "self.tags.filter(t, t > 'a') == ['b', 'c']",
	"self.tags.filter(t, t > 'a').size() == 2", "self.ports.filter(p, has(p.number)).map(p, p.number) == [80, 53]",
	"self.ports.filter(p, p.number > 0).size() == 2", "self.ports.map(p, p.number).size() == 3",
	"self.ports.all(p, has(p.number) || p.name == 'alt')", "self.ports.all(p, p.number > 0)",
	"self.ports.all(p, p.number > 60)", "self.ports.exists(p, p.number == 53)", "self.ports.exists(p, p.number == 54)",
	"self.none.all(t, false)", "self.none.exists(t, true)", "self.labels.all(k, self.labels[k] != '')",
	"self.labels.exists(k, k == 'team')", "self.counts.map(k, self.counts[k]).sum() == 3",
	"dyn(self.inner).exists(k, k == 'deep')", "dyn(self.inner.deep).exists(k, k == 'a__dash__b')",
	"dyn(self.inner.deep).all(k, dyn(self.inner.deep)[k] != null)",
	"self.counts.filter(k, self.counts[k] > 1) == ['two']", "self.tags.all(i, t, i < 3 && t < 'd')",
	"self.tags.exists(i, t, i == 1 && t == 'b')", "self.labels.all(k, v, v != '')",
	"self.counts.exists(k, v, v == 2 && k == 'two')", "self.tags.existsOne(i, t, i > 1)",
	"self.tags.transformList(i, t, t + string(i)) == ['a0', 'b1', 'c2']",
	"self.numbers.transformList(i, n, n > 1, n * i) == [0, 4]",
	"self.counts.transformMap(k, v, v + 1) == {'one': 2, 'two': 3}",
	"self.counts.transformMap(k, v, v > 1, v) == {'two': 2}", "self.tags.transformMapEntry(i, t, {t: i})['b'] == 1",
	"dyn(self.inner.deep).exists(k, v, k == 'active')", "dyn(self.inner).transformList(k, v, k).size() == 2",
	"self.ports.all(p, self.ports.exists_one(q, q.name == p.name))", "self.nested.all(l, l.all(n, n > 0))",
	"self.nested.map(l, l.map(n, n + 1)) == [[2, 3], [4]]", "self.nested.map(l, l.filter(n, n > 1)) == [[2], [3]]",
	"self.nested.filter(l, l.filter(n, n > 1).size() > 0).size() == 2", "self.nested.exists_one(l, l.size() == 1)",
	"dyn(self.word).all(c, true)", "dyn(self.int).all(x, true)", "{'a': 1}.all(k, k == 'a')",
	"{'a': 1}.all(k, v, v == 1)", "self.url.split('/').all(p, p != 'z')", "self.tags.map(t, [t]).all(l, l.size() == 1)",
	"self.tags.all(self, self != 'q')",
	"self.tags.filter(t, t.matches('[ab]')).map(t, t.upperAscii()).join(',') == 'A,B'",
	"self.tags.map(t, {'k': t}).exists(m, m.k == 'b')",

	// Strings and lists.
	"size(self.text) == 6", "self.text.size() == 6", "self.tags.size() == 3", "size(self.labels) == 2",
	"self.data.size() == 5", "self.word.contains('e')", "self.word.contains('')", "self.word.startsWith('w')",
	"self.word.endsWith('w')", "self.word.matches('^[a-z]+$')", "matches(self.word, 'e.$')",
	"self.word.matches(self.empty)", "self.empty.matches('^$')", "self.word.find('[a-e]') == 'e'",
	"self.word.findAll('[a-e]') == ['e', 'b']", "self.word.findAll('[a-e]', 1) == ['e']",
	"self.url.replace('https', 'http').startsWith('http:')", "self.url.split('/').size() == 5",
	"self.word.substring(1) == 'eb'", "self.word.substring(1, 2) == 'e'", "self.word.substring(9) == ''",
	"self.text.upperAscii() == 'STRAßE'", "self.text.lowerAscii() == 'straße'", "self.url.lowerAscii() == self.url",
	"self.word.upperAscii() == 'WEB'", "self.text.substring(5) == 'e'", "self.word.substring(1, 9) == ''",
	"self.word.substring(2, 1) == ''", "self.word.substring(-1) == ''", "self.word.substring(3) == ''",
	"self.word.indexOf('x') == -1", "self.word.indexOf('') == 0", "self.word.lastIndexOf('') == 3",
	"self.word.lastIndexOf('webs') == -1", "self.word.split('') == ['w', 'e', 'b']", "self.word.split('e')[1] == 'b'",
	"self.text.split('') == []", "self.absent.trim() == ''", "self.word.trim().trim() == 'web'",
	"self.word.substring(self.word.substring(1).indexOf('b')) == 'eb'", "self.word.split('e') == ['w', 'b']",
	"self.word in self.word.split('-')", "self.int in [self.zero, 7]", "'web' in [self.word]",
	"self.ports[0] in [self.ports[1]]", "dyn(self.tags) in [self.tags]", "' a '.trim() == 'a'",
	"self.word.indexOf('b') == 2", "self.word.lastIndexOf('w') == 0", "self.tags.join('-') == 'a-b-c'",
	"self.word.charAt(0) == 'w'", "'%s is %d'.format([self.word, self.int]) == 'web is 7'",
	"strings.quote(self.word) == '\"web\"'", "self.tags.isSorted()", "self.numbers.isSorted()", "self.numbers.sum() == 6",
	"self.numbers.min() == 1", "self.numbers.max() == 3", "self.none.min() == ''", "self.numbers.indexOf(1) == 1",
	"self.numbers.lastIndexOf(9) == -1", "self.numbers.slice(1, 3) == [1, 2]", "self.numbers.slice(1, 9) == [1, 2]",
	"self.nested.flatten() == [1, 2, 3]", "self.numbers.sort() == [1, 2, 3]", "self.numbers.reverse() == [2, 1, 3]",
	"[1, 1, 2].distinct() == [1, 2]", "self.ports.sortBy(p, p.name).map(p, p.name) == ['alt', 'dns', 'http']",
	"lists.range(3) == [0, 1, 2]", "self.tags.first().orValue('z') == 'a'", "self.none.last().hasValue()",
	"sets.contains(self.tags, ['a'])", "sets.equivalent(self.set, ['z', 'x', 'w'])",
	"sets.intersects(self.tags, self.set)",

	// Conversions and Kubernetes libraries.
	"string(self.int) == '7'", "string(self.double) == '2.5'", "int('7') == self.int", "int(self.word) == 1",
	"int(self.double) == 2", "double(self.int) == 7.0", "double(self.word) > 0.0", "uint(self.int) == 7u",
	"string(self.isTrue) == 'true'", "bool('true')", "string(self.data) == 'hello'", "bytes(self.word) == b'web'",
	"size(bytes(self.text)) == 7", "bytes(self.data) == self.data", "type(self.data) == bytes",
	"dyn(self.data) == self.word", "self.data <= b'hello'", "string(self.data + b'x') == 'hellox'",
	"duration('90s') == self.wait", "duration(self.word) > duration('1s')",
	"timestamp('2026-01-02T03:04:05Z') == self.when", "timestamp(self.word) == self.when",
	"self.when.getFullYear() == 2026", "self.when.getMonth() == 0", "self.day.getDayOfMonth() == 1",
	"self.wait.getSeconds() == 90", "self.when - self.when == duration('0s')", "string(self.wait) == '90s'",
	"dyn(self.port) == 80", "url(self.url).getHost() == 'example.com:8443'", "isURL(self.url)", "isURL(self.word)",
	"url(self.word).getHost() == ''", "isIP(self.address)", "isIP(self.word)", "isIP('fe80::1%eth0')",
	"isIP('::ffff:192.0.2.1')", "isIP('::1')", "isIP(self.absent)", "ip(self.address).family() == 4",
	"ip(self.word).family() == 4", "isCIDR(self.cidr)", "cidr(self.cidr).containsIP(self.address)",
	"cidr(self.cidr).prefixLength() == 8", "cidr(self.cidr) == cidr('10.0.0.0/8')",
	"quantity(self.size).isGreaterThan(quantity('1Gi'))", "isQuantity(self.word)", "isQuantity(self.size)",
	"isQuantity('1e3')", "sign(quantity(self.size)) == 1", "sign(quantity('-1')) < sign(quantity('0'))",
	"quantity('1E') == quantity('1000P')", "isQuantity('1e999999999')",
	"quantity(self.size).compareTo(quantity('2048Mi')) == 0", "quantity(self.size).isLessThan(quantity('1k'))",
	"quantity(self.word).isLessThan(quantity('1'))", "isQuantity(self.absent)",
	"[quantity(self.size)].exists(q, q.isGreaterThan(quantity('1')))",
	"[self.size, '1', '3Gi'].map(s, quantity(s)).all(q, q.isGreaterThan(quantity('1')))",
	"[self.size, '4Gi'].filter(s, quantity(s).isGreaterThan(quantity('3Gi'))).size() == 1",
	"type(quantity('1')) == type(quantity(self.size))", "optional.of(quantity('1')).hasValue()",
	"self.word.matches('w') && quantity('1') == quantity('1000m')", "quantity(self.size).add(1).isInteger()",
	"quantity('2Gi') == quantity(self.size)", "isSemver(self.version)", "semver(self.version).major() == 1",
	"semver(self.version).isLessThan(semver('2.0.0'))", "!format.dns1123Label().validate(self.word).hasValue()",
	"format.named('uuid').hasValue()", "format.dns1123Label().validate(self.text).hasValue()",

	// Optionals.
	"self.?absent.hasValue()", "self.?word.hasValue()", "self.?word.orValue('x') == 'web'",
	"self.?absent.orValue('x') == 'x'", "self.?inner.deep.active.orValue(false)",
	"dyn(self).?inner.?deep.?nothing.hasValue()", "dyn(self).?word.?nothing.hasValue()", "dyn(self).word.nothing == 1",
	"has(dyn(self).word.nothing)", "has(dyn(self).tags.nothing)", "self.?absentObject.x.orValue(5) == 5",
	"self.labels[?'team'].orValue('') == 'web'", "self.labels[?'none'].hasValue()", "self.tags[?1].orValue('') == 'b'",
	"self.tags[?9].hasValue()", "self.ports[?0].number.orValue(0) == 80", "optional.of(self.int).value() == 7",
	"optional.none().hasValue()", "self.?absent.value() == ''", "self.?absent.or(self.?word).value() == 'web'",
	"self.?word.or(self.?absent).hasValue()", "optional.ofNonZeroValue(self.zero).hasValue()",
	"optional.ofNonZeroValue(self.int).hasValue()", "self.?word.optMap(w, w + 'x').orValue('') == 'webx'",
	"self.?absent.optMap(w, w + 'x').hasValue()", "self.?inner.optFlatMap(i, i.?other).orValue('') == 'x'",
	"optional.of(self.inner).deep.active.orValue(false)", "optional.of(self).?inner.deep.hasValue()",
	"[?self.?absent, 'a'] == ['a']", "[?self.?word] == ['web']", "self.?inner == self.?inner",
	"self.?absent == self.?word", "has(self.?inner.deep)", "self.?inner.optMap(i, i.deep.active).orValue(false)",
	"{?'a': self.?absent}.size() == 0", "self.?wrong.int.orValue(1) == 1",

	// Constants.
	"true", "false", "1 == 1", "'a' == \"a\"", "b'\\xff' == b'\\xff'", "1.5e3 == 1500.0", "0x10 == 16",
	"'\\u00e9 \\n\"' == 'é \\n\"'",
}

// The same, for transition rules.
var transitions = []string{
	"self == oldSelf", "self.int >= oldSelf.int", "self.int == oldSelf.int", "self.set == oldSelf.set",
	"self.tags == oldSelf.tags", "self.byName == oldSelf.byName", "self.labels == oldSelf.labels",
	"self.inner == oldSelf.inner", "self.inner.deep.a__dash__b == oldSelf.inner.deep.a__dash__b",
	"self.ports == oldSelf.ports", "self.ports[0] == oldSelf.ports[0]", "has(oldSelf.absent)",
	"self.when == oldSelf.when", "oldSelf.ports.all(p, p in self.ports)", "self.byName.all(x, x in oldSelf.byName)",
	"oldSelf.set.all(x, x in self.set)", "oldSelf.none.size() == 0",
}

// The same, for transition rules with an optional oldSelf.
var optionalTransitions = []string{
	"oldSelf.hasValue()", "!oldSelf.hasValue()", "oldSelf.hasValue() && oldSelf.value() == self",
	"oldSelf.orValue(self) == self", "oldSelf.optMap(o, o.int < self.int).orValue(true)", "oldSelf.?int.orValue(0) == 6",
	"oldSelf.?inner.?deep.?active.orValue(true)", "oldSelf.int.orValue(0) == 6", "dyn(oldSelf).?undeclared.hasValue()",
	"oldSelf.?inner.deep.hasValue()", "oldSelf.?tags.orValue([]) == self.tags", "oldSelf.value().int == 6",
	"oldSelf.value().set == self.set", "self.set == oldSelf.value().set", "oldSelf.?when.orValue(self.when) == self.when",
	"oldSelf.orValue(self).set == self.set",
	"(self.isTrue ? optional.of(oldSelf.value()) : optional.none()).?set.orValue([]) == self.set",
	"(self.isTrue ? optional.of(self) : optional.none()).value().set == ['z', 'w', 'x']",
	"optional.of(self).value().set == ['z', 'w', 'x']", "optional.of(self).optMap(s, s.set == ['z', 'w', 'x']).value()",
	"[optional.of(self)].all(o, o.value().set == ['z', 'w', 'x'])",
	"(self.isTrue ? self.?inner : self.?inner).deep.active.orValue(false)",
	"oldSelf.optMap(o, o.when == self.when).orValue(true)", "oldSelf.?inner.optMap(i, i == self.inner).orValue(true)",
	"oldSelf == optional.of(self)", "dyn(oldSelf)[?'int'].orValue(0) == 6",
	"oldSelf.?ports[?0].name.orValue('') == 'http'",
}

// expressedSchema is the text of the schema of the object.
func expressedSchema(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../cel/testdata/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestClosuresGiveWhatCELGives(t *testing.T) {
	var total celtest.Tally
	for _, c := range []struct {
		options     string
		old         string
		expressions []string
	}{
		{"", "", expressions},
		{"", expressedBefore, transitions},
		{", optionalOldSelf: true", expressedBefore, optionalTransitions},
		{", optionalOldSelf: true", "", optionalTransitions},
	} {
		n := readTree(t, &source.Source{Name: "a.yaml", Text: expressed}).Root()
		var old manifest.Node
		if c.old != "" {
			old = readTree(t, &source.Source{Name: "b.yaml", Text: c.old}).Root()
		}
		for _, e := range c.expressions {
			rules := NewRules(compileSchema(t,
				expressedSchema(t)+"x-kubernetes-validations: [{rule: "+strconv.Quote(e)+c.options+"}]\n"))
			unsure := total.Unsure
			rules.Compare(&total, n, old)
			if total.Unsure > unsure {
				t.Logf("left to cel-go: %s", e)
			}
			for _, v := range rules.Broken() {
				t.Errorf("%s: %s", e, v.Message)
			}
		}
	}
	total.Report(t, 100)
}
