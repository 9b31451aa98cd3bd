package oracle

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
	upstream "k8s.io/apiserver/pkg/cel/library"
)

// specialTexts are strings that at least one function treats in a special way.
var specialTexts = []string{
	"", "a", "A-b", "a.b", "a-", "-a", "-", "a--", "a.b-", "example.com/name", "example.com/", "/", "~", "a/b~c",
	strings.Repeat("a", 64), strings.Repeat("a.", 130),
	"1", "1Gi", "100m", "1.5", "1e3", "1e-3", "-1", "+1", "0", "1E", "1.2.3", "9223372036854775808", "0.1n", "1Ki1",
	"v1.2.3", "1.2", "v01.02.03", "1.2.3-rc.1+build", "1.2-rc", "1", "01.0.0", "v", "v.", "1..2", "1.2.3.4",
	"00.0a.0", "1.2.03-rc.1", "-1.0.0",
	"127.0.0.1", "::1", "::ffff:1.2.3.4", "fe80::1%eth0", "0:0:0:0:0:0:0:1", "192.168.0.1", "224.0.0.1", "ff02::1",
	"0.0.0.0", "::", "256.0.0.1", "1.2.3", "fe80::1",
	"10.0.0.0/8", "10.1.2.3/8", "10.1.0.0/16", "::/0", "0.0.0.0/0", "fd00::/8", "::ffff:10.0.0.0/104", "10.0.0.0/33",
	"10.0.0.0", "192.168.0.0/16", "10.0.0.1/32",
	"https://example.com:8080/a%20b?x=1&y=2&x=3#f", "http://[::1]:80/", "/path", "path", "mailto:a@b", "http://",
	"https://user@host/%zz", "https://example.com",
	"(", "[a-z]+", "a*", "^$", "(?i)A", "b", ".", `\d+`, "a|b", "(a)(b)",
	"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567-e89b-12d3-a456-42661417400",
	"aGVsbG8=", "aGVsbG8", "====", "a===",
	"2024-02-29", "2023-02-29", "2024-01-01T00:00:00Z", "2024-01-01t00:00:00+01:00", "2024-01-01T24:00:00Z",
	"2024-01-01", "2024-01-01T00:00:00", "T00:00:00Z",
	"dns1123Label", "uuid", "byte", "unknown", "é", "日本", "\x00", "%s", "%d %s", "%.3f",
}

// drawable returns values of each type, by the name of the type.
func drawable() map[string][]ref.Val {
	var integers []ref.Val
	for _, n := range []int64{0, 1, -1, 3, 64, math.MaxInt64, math.MinInt64} {
		integers = append(integers, types.Int(n))
	}
	all := map[string][]ref.Val{
		"bool": {types.True, types.False},
		"int":  integers,
		"uint": {types.Uint(0), types.Uint(2), types.Uint(math.MaxUint64)},
		"double": {
			types.Double(0), types.Double(-1.5), types.Double(math.Inf(1)), types.Double(math.NaN()),
		},
		"bytes": {
			types.Bytes(""), types.Bytes("a"), types.Bytes("bytes that are long enough to cost something"),
		}, "null_type": {types.NullValue},
		"google.protobuf.Duration": {
			types.Duration{}, types.Duration{Duration: -1}, types.Duration{Duration: math.MaxInt64},
		}, "google.protobuf.Timestamp": {types.Timestamp{}, types.Timestamp{Time: time.Unix(1700000000, 0).UTC()}},
		"type":          {types.StringType, apiservercel.URLType},
		"optional_type": {types.OptionalNone, types.OptionalOf(types.Int(1))},
		"error":         {types.NewErr("an error")},
	}
	for _, text := range specialTexts {
		all["string"] = append(all["string"], types.String(text))
		addParsed(all, text)
	}
	for _, name := range slices.Sorted(maps.Keys(upstream.ConstantFormats)) {
		all["kubernetes.NamedFormat"] = append(all["kubernetes.NamedFormat"], upstream.ConstantFormats[name])
	}
	return all
}

// addParsed adds what a text means as a value of a type of Kubernetes.
func addParsed(all map[string][]ref.Val, text string) {
	add := func(v ref.Val) {
		name := v.Type().TypeName()
		all[name] = append(all[name], v)
	}
	if q, err := resource.ParseQuantity(text); err == nil {
		add(apiservercel.Quantity{Quantity: &q})
		add(&apiservercel.Quantity{Quantity: &q})
	}
	if u, err := url.Parse(text); err == nil {
		add(apiservercel.URL{URL: u})
	}
	if a, err := netip.ParseAddr(text); err == nil {
		add(apiservercel.IP{Addr: a})
	}
	if p, err := netip.ParsePrefix(text); err == nil {
		add(apiservercel.CIDR{Prefix: p})
	}
	if v, err := semver.Parse(text); err == nil {
		add(apiservercel.Semver{Version: v})
	}
}

// drawn are the values that drawArguments chooses from.
var drawn = drawable()

// drawArguments returns arguments for an overload. Sometimes one has another type.
func drawArguments(random *rand.Rand, o *decls.OverloadDecl) []ref.Val {
	args := make([]ref.Val, len(o.ArgTypes()))
	for i, t := range o.ArgTypes() {
		if random.IntN(15) == 0 {
			t = types.DynType
		}
		args[i] = drawValue(random, t, 3)
	}
	return args
}

// drawValue returns a value of a type that is nested at most to a depth.
func drawValue(random *rand.Rand, t *types.Type, depth int) ref.Val {
	switch t.Kind() {
	case types.ListKind:
		items := make([]ref.Val, random.IntN(5))
		of := t.Parameters()[0]
		if of.Kind() == types.TypeParamKind {
			of = drawType(random)[0]
		}
		for i := range items {
			items[i] = drawValue(random, of, depth-1)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, items)
	case types.MapKind:
		fields := map[ref.Val]ref.Val{}
		for range random.IntN(3) {
			fields[drawValue(random, types.StringType, depth-1)] = drawValue(random, t.Parameters()[1], depth-1)
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, fields)
	}
	if values := drawn[t.TypeName()]; len(values) > 0 {
		return values[random.IntN(len(values))]
	}
	if depth == 0 {
		return types.NullValue
	}
	return drawValue(random, drawType(random)[0], depth-1)
}

// drawType returns any type, as we and as upstream have it.
func drawType(random *rand.Rand) [2]*types.Type {
	simple := []*types.Type{
		types.BoolType, types.IntType, types.UintType, types.DoubleType, types.StringType, types.BytesType,
		types.DurationType, types.TimestampType,
		types.NewListType(types.StringType), types.NewListType(types.IntType),
		types.NewMapType(types.StringType, types.IntType),
		apiservercel.QuantityType, apiservercel.URLType, apiservercel.IPType, apiservercel.CIDRType,
		apiservercel.SemverType, apiservercel.FormatType,
		types.NewOpaqueType("other"), types.NewObjectType("another"),
	}
	t := simple[random.IntN(len(simple))]
	return [2]*types.Type{t, t}
}

// describe returns everything about a value that an expression can find out.
func describe(v ref.Val) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case *types.Err:
		return "error: " + v.Error()
	case apiservercel.Format:
		return fmt.Sprint(v.Name, v.MaxRegexSize)
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "optional " + describe(v.GetValue())
	case traits.Lister:
		text := "["
		for it := v.Iterator(); it.HasNext() == types.True; {
			text += describe(it.Next()) + ","
		}
		return text + "]"
	case traits.Mapper:
		var fields []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			fields = append(fields, describe(key)+": "+describe(v.Get(key)))
		}
		slices.Sort(fields)
		return fmt.Sprint(fields)
	}
	return fmt.Sprintf("%T %v %v", v, v.Type(), v.Value())
}

func describeAll(args []ref.Val) []string {
	var texts []string
	for _, arg := range args {
		texts = append(texts, describe(arg))
	}
	return texts
}
