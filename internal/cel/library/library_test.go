package library_test

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"github.com/kindvet/kindvet/internal/cel/library"
)

// Each expression has its result and its cost, which is counted at the end and estimated before. s may have any size.
// A module next to this package compares everything with the code of an API server.
var expressions = []struct {
	text, result   string
	cost, estimate uint64
}{
	{`[1, 3, 2].isSorted()`, "false", 3, 13},
	{`[1, 3, 2].sum()`, "6", 3, 13},
	{`["b", "a"].min()`, "a", 0, 3689348814741910540},
	{`["b", "a"].max()`, "b", 0, 3689348814741910540},
	{`[].max()`, "max called on empty list", 0, 10},
	{`["a", "b", "a"].lastIndexOf("a")`, "2", 0, 5534023222112865805},
	{`"abc".find("[b-z]+")`, "bc", 2, 2},
	{`"abc".find("(")`, "error parsing regexp: missing closing ): `(`", 0, 1},
	{`"abc".find(s + "(")`, "Illegal regex: error parsing regexp: missing closing ): `(`", 3, 6456360425798343169},
	{`"abc".findAll(".", 2)`, "[a b]", 1, 1},
	{`url("https://example.com:80/a").getHost()`, "example.com:80", 4, 4},
	{`url("a")`, `URL parse error during conversion from string: parse "a": invalid URI for request`, 1, 1},
	{`quantity("1.5Gi").isGreaterThan(quantity("1G"))`, "true", 3, 3},
	{`quantity("1500m").asInteger()`, "cannot convert value to integer", 2, 2},
	{`quantity("1").add(2) == quantity("3")`, "true", 4, 4},
	{`quantity("3") == quantity("1").add(2)`, "no such overload", 4, 4},
	{`quantity("3").sub(2).asInteger()`, "1", 3, 3},
	{`isIP("::ffff:1.2.3.4")`, "false", 2, 2},
	{`ip("fe80::1%a")`, `IP address "fe80::1%a" with zone value is not allowed`, 1, 1},
	{`ip.isCanonical("::0")`, "false", 1, 1},
	{`ip("127.0.0.1").isLoopback()`, "true", 2, 2},
	{`cidr("10.0.0.0/8").containsIP("10.1.1.1")`, "true", 3, 6},
	{`cidr("10.0.0.0/8").containsIP("a")`, "no such overload", 3, 6},
	{`cidr("10.0.0.0/8").containsCIDR("10.0.0.0/7")`, "false", 5, 9},
	{`string(cidr("10.1.0.0/8").masked())`, "10.0.0.0/8", 3, 3},
	{`format.uuid().validate("a").value()`, "[does not match the UUID format]", 20, 34},
	{`format.dns1123LabelPrefix().validate("a-").hasValue()`, "false", 10, 34},
	{`format.named("none").hasValue()`, "false", 2, 2},
	{`semver("v1.02", true).minor()`, "2", 2, 2},
	{`isSemver("v1.02")`, "false", 1, 1},
	{`semver("1.0.0-rc").isLessThan(semver("1.0.0"))`, "true", 3, 3},
	{`jsonpatch.escapeKey("a/b~c")`, "a~1b~0c", 1, 1},
	{`dyn(1).path("/").check("get").allowed()`, "no such overload: path(int, string)", 350002, 350003},
	{`"a,b".split(",").join("-").replace("a", "bc")`, "bc-b", 3, 5534023222112865793},
	{`s.replace("a", "bc").trim()`, "", 1, 5534023222112865793},
	{`s.split(",", 3).join(s)`, "", 2, 5534023222112865794},
	{`url(s) == url(s)`, `URL parse error during conversion from string: parse "": empty url`, 3, 5534023222112865794},
}

func TestFunctionsReturnAndCostWhatTheyDoOnAServer(t *testing.T) {
	env, err := cel.NewEnv(
		library.URLs(), library.Regex(), library.Lists(), library.Authorizer(), library.AuthorizerSelectors(),
		cel.OptionalTypes(), library.Quantity(), ext.Strings(ext.StringsVersion(2)), library.IP(), library.CIDR(),
		library.Format(), library.Semver(), library.JSONPatch(), cel.Variable("s", cel.StringType),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range expressions {
		checked, issues := env.Compile(e.text)
		if issues.Err() != nil {
			t.Errorf("%s: %v", e.text, issues.Err())
			continue
		}
		estimate, err := env.EstimateCost(checked, &library.CostEstimator{})
		if err != nil {
			t.Fatal(err)
		}
		result, cost := evaluate(env, checked)
		if result != e.result || cost != e.cost || estimate.Max != e.estimate {
			t.Errorf("have {`%s`, %q, %d, %d},", e.text, result, cost, estimate.Max)
			t.Errorf("want {`%s`, %q, %d, %d},", e.text, e.result, e.cost, e.estimate)
		}
	}
}

func evaluate(env *cel.Env, checked *cel.Ast) (result string, cost uint64) {
	p, err := env.Program(checked,
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostTracking(&library.CostEstimator{}))
	if err != nil {
		return err.Error(), 0
	}
	v, details, err := p.Eval(map[string]any{"s": ""})
	if err != nil {
		return err.Error(), *details.ActualCost()
	}
	native := v.Value()
	if items, ok := native.([]string); ok {
		return fmt.Sprint(items), *details.ActualCost()
	}
	return fmt.Sprint(native), *details.ActualCost()
}
