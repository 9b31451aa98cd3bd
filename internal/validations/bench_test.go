package validations

import (
	"testing"

	"github.com/kindvet/kindvet/internal/cel/closure"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// The rules of the benchmarks are typical of real definitions, and the object satisfies them.
const (
	benched = `targetType: instance
networking:
  ingress:
    - from: [{ipBlock: {cidr: 10.0.0.0/8}}, {securityGroup: {id: sg-1}}]
      ports: [{port: 80, protocol: TCP}, {port: 443, protocol: TCP}]
    - from: [{ipBlock: {cidr: 192.0.2.0/24}}]
      ports: [{port: 8080}]
selector: {operator: In, values: [a, b]}
range: {start: 80, end: 443}
names: [web, api, db]
host: app.example.com
`
	benchedSchema = `
type: object
x-kubernetes-validations:
  - rule: "has(self.targetType) && self.targetType == 'instance' && has(self.networking) && has(self.networking.ingress) ? self.networking.ingress.all(r, r.ports.all(p, has(p.port) ? type(p.port) == int : true)) : true"
properties:
  targetType: {type: string}
  networking:
    type: object
    properties:
      ingress:
        type: array
        items:
          type: object
          properties:
            from:
              type: array
              items:
                type: object
                x-kubernetes-validations: [{rule: "has(self.ipBlock) != has(self.securityGroup)"}]
                properties:
                  ipBlock: {type: object, properties: {cidr: {type: string}}}
                  securityGroup: {type: object, properties: {id: {type: string}}}
            ports:
              type: array
              items:
                type: object
                properties: {port: {x-kubernetes-int-or-string: true}, protocol: {type: string}}
  selector:
    type: object
    x-kubernetes-validations:
      - rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)"
      - rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0"
    properties: {operator: {type: string}, values: {type: array, items: {type: string}}}
  range:
    type: object
    x-kubernetes-validations: [{rule: self.start < self.end}]
    properties: {start: {type: integer}, end: {type: integer}}
  names:
    type: array
    x-kubernetes-validations: [{rule: "self.all(a, self.exists_one(b, a == b))"}]
    items: {type: string}
  host:
    type: string
    x-kubernetes-validations: [{rule: "self.matches('^[a-z.]+$') && !self.endsWith('.local')"}]
`
)

// evaluationOf is one rule at one place, ready for evaluation.
type evaluationOf struct {
	place cursor
	rule  *rule
}

func benchedRules(b *testing.B) (*Rules, manifest.Node, []evaluationOf) {
	tree := &manifest.Tree{}
	src := &source.Source{Name: "a.yaml", Text: benched}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	rules := NewRules(compileSchema(b, benchedSchema))
	var list []evaluationOf
	cursor{n: tree.Root(), node: rules.top()}.walk(func(p cursor) bool {
		for _, r := range p.node.rules.rules() {
			list = append(list, evaluationOf{p, r})
		}
		return true
	})
	return rules, tree.Root(), list
}

// One operation evaluates one rule. The benchmark cycles through eight rules.
func BenchmarkRule(b *testing.B) {
	_, _, list := benchedRules(b)
	b.Run("closures", func(b *testing.B) {
		f := &closure.Frame{}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			e := list[i%len(list)]
			if e.rule.verdict(f, &e.place) != closure.True {
				b.Fatal(e.rule.text())
			}
		}
	})
	b.Run("program with cost", func(b *testing.B) { benchPrograms(b, list) })
}

func benchPrograms(b *testing.B, list []evaluationOf) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e := list[i%len(list)]
		a := e.place.arguments()
		if !e.rule.expression.Eval(e.rule.expression.Activate(a[:], nil)).IsTrue() {
			b.Fatal(e.rule.text())
		}
	}
}

// One operation checks one object with its eight rules.
func BenchmarkCheck(b *testing.B) {
	rules, root, _ := benchedRules(b)
	b.ReportAllocs()
	for b.Loop() {
		if len(rules.Check(nil, root, manifest.Node{}).Violations) > 0 {
			b.Fatal("a rule is false")
		}
	}
}

// One operation turns one rule, from its text or its precompiled form, into closures.
func BenchmarkCompile(b *testing.B) {
	_, _, list := benchedRules(b)
	encoded := make([]string, len(list))
	for i, e := range list {
		var err error
		if encoded[i], err = e.place.node.rules.encode(e.rule.Rule); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("precompiled", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			e := list[i%len(list)]
			e.place.node.rules.compileRule(e.rule.Rule, encoded[i%len(list)])
		}
	})
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			e := list[i%len(list)]
			e.place.node.rules.compileRule(e.rule.Rule, "")
		}
	})
}
