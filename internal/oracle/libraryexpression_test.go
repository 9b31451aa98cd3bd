package oracle

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	apiservercel "k8s.io/apiserver/pkg/cel"
	upstream "k8s.io/apiserver/pkg/cel/library"

	"github.com/kindvet/kindvet/internal/cel/environment"
	"github.com/kindvet/kindvet/internal/cel/library"
)

func TestEachNamedFormatAcceptsWhatTheServersAccepts(t *testing.T) {
	ours, theirs := environments(t)
	for name, want := range upstream.ConstantFormats {
		for _, env := range []*cel.Env{ours, theirs} {
			b := bindingOf(bindingsOf(t, env.Functions()["format."+name]), "format."+name, "format."+name)
			have := b.Function().Value().(apiservercel.Format)
			for _, text := range slices.Concat(specialTexts, []string{"a-b-c", "9a", "a.b-", "A", "x/y/z", "a_b", "a b"}) {
				if h, w := have.ValidateFunc(text), want.ValidateFunc(text); !slices.Equal(h, w) {
					t.Errorf("%s of %q\nhave %q\nwant %q", name, text, h, w)
				}
			}
		}
	}
}

// expressions use s, a string, l, a list of strings, and d, which may be anything.
var expressions = []string{
	`s.find('[a-z]+') == 'a'`, `s.find(s)`, `s.find('(')`, `s.findAll('.', 2)`, `s.findAll('.')`, `s.findAll(s, 1)`,
	`d.find('a')`, `d.findAll(s, d)`,
	`l.isSorted()`, `l.min()`, `l.max()`, `[1, 2].sum()`, `d.sum()`, `l.indexOf('a')`, `l.lastIndexOf(s)`,
	`s.indexOf('a')`, `[].min()`, `[9223372036854775807, 1].sum()`,
	`url(s).getHost() == ''`, `isURL(s)`, `url('https://a/b?c=d').getQuery()`, `url(s) == url(s)`, `url(d).getPort()`,
	`quantity(s).isGreaterThan(quantity('1'))`, `isQuantity(s)`, `quantity('1').add(1) == quantity('2')`,
	`quantity('2') == quantity('1').add(1)`, `quantity('3') == quantity('3')`, `quantity('1.5').asInteger()`,
	`sign(quantity('-1'))`,
	`quantity(s).compareTo(quantity('1Gi')) < 0`, `quantity('9223372036854775808').add(quantity('1'))`,
	`ip(s).family()`, `isIP(s)`, `ip.isCanonical(s)`, `ip(s) == ip('127.0.0.1')`, `string(ip('::1'))`,
	`ip(s) in [ip('::1')]`,
	`cidr(s).containsIP(s)`, `cidr('10.0.0.0/8').containsIP('10.1.1.1')`, `cidr('10.0.0.0/8').containsIP(s)`,
	`cidr('10.0.0.0/8').containsCIDR(s)`, `cidr(s) == cidr(s)`, `cidr(s).ip()`,
	`cidr('10.0.0.0/8').containsIP(ip('10.1.1.1'))`, `cidr(s).masked().prefixLength()`, `string(cidr('::/0'))`,
	`isCIDR(d)`,
	`format.uuid().validate(s)`, `format.named(s)`, `!format.named('uuid').value().validate(s).hasValue()`,
	`format.dns1123LabelPrefix().validate('a-')`, `format.uri() == format.byte()`,
	`semver(s)`, `semver(s, true).major()`, `isSemver(s, true)`, `isSemver(s)`,
	`semver('1.2.3').isLessThan(semver('1.2.4'))`, `semver('1.2.3') == semver('1.2.3')`,
	`semver('1.0.0').compareTo(semver('0.1.0'))`,
	`jsonpatch.escapeKey(s)`, `s.split('')`, `s.split('a', 2)`, `s.replace('', s)`, `s.replace('ab', 'c')`,
	`s.replace(s, '')`, `l.join(s)`, `l.join()`, `s.lowerAscii().trim()`, `s.substring(1)`,
	`d.path('/x').check('get').allowed()`,
	`d.group('').resource('pods').namespace('a').name('b').check('get').errored()`, `d.serviceAccount('a', 'b')`,
	`d.fieldSelector(s)`, `d.check('get')`, `d.reason()`,
	`l.all(x, x.find('a') == '')`, `l.map(x, url(x))`, `l.exists(x, cidr('10.0.0.0/8').containsIP(x))`,
	`type(quantity('1')) == type(semver('1.0.0'))`, `[url(s)] == [url(s)]`, `dyn(1) == d`,
	`s.nothing()`, `l.sum()`, `quantity(1)`, `ip(s) < ip(s)`, `cidr(s).containsIP(1)`, `authorizer.group('a')`,
	`l.includes(s)`, `s.includes('a')`, `d.includes(s)`, `[1, 2].includes(s.size())`, `[[s]].includes([s])`,
	`semver()`, `[true].sum()`, `format.none()`,
}

func TestEachExpressionHasTheServersResultAndCost(t *testing.T) {
	ours, theirs := environments(t)
	limits := func(e ast.Expr) []cel.ProgramOption { return environment.Limits(e, &library.CostEstimator{}) }
	none := func(ast.Expr) []cel.ProgramOption { return nil }
	for _, text := range expressions {
		have := outcome(t, ours, text, &library.CostEstimator{SizeEstimator: guess{}}, limits)
		want := outcome(t, theirs, text, &upstream.CostEstimator{SizeEstimator: guess{}}, none)
		for i := range want {
			if i >= len(have) || have[i] != want[i] {
				t.Errorf("%s\nhave %s\nwant %s", text, have[min(i, len(have)-1)], want[i])
				break
			}
		}
	}
}

// outcome describes how an expression is checked, what it may cost, and what it returns and costs for some variables.
func outcome(
	t *testing.T, env *cel.Env, text string, estimator checker.CostEstimator, options func(ast.Expr) []cel.ProgramOption,
) []string {
	t.Helper()
	env, err := env.Extend(cel.Variable("s", cel.StringType), cel.Variable("l", cel.ListType(cel.StringType)),
		cel.Variable("d", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		return []string{issues.Err().Error()}
	}
	estimate, err := env.EstimateCost(checked, estimator)
	results := []string{fmt.Sprint(checked.OutputType(), estimate, err)}
	p, err := env.Program(checked, options(checked.NativeRep().Expr())...)
	if err != nil {
		return append(results, err.Error())
	}
	for _, s := range specialTexts {
		for _, d := range []any{s, 1, []string{s}, map[string]any{s: s}} {
			v, details, err := p.Eval(map[string]any{"s": s, "l": []string{"b", s, "a"}, "d": d})
			cost := describeCost(details.ActualCost())
			results = append(results, fmt.Sprintf("%q %v: %s %v %s", s, d, describe(v), err, cost))
		}
	}
	return results
}
