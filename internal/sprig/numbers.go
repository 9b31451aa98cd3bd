package sprig

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cast"
)

// numbers returns the functions about numbers and durations.
func numbers() template.FuncMap {
	return template.FuncMap{
		"atoi":  func(text string) int { n, _ := strconv.Atoi(text); return n },
		"int64": func(v any) int64 { return cast.ToInt64(v) }, "int": func(v any) int { return cast.ToInt(v) },
		"float64": func(v any) float64 { return cast.ToFloat64(v) }, "toDecimal": fromOctal, "seq": sequence,
		"until": until, "untilStep": untilStep,
		"add1": func(v any) int64 { return cast.ToInt64(v) + 1 }, "add": add,
		"sub": func(a, b any) int64 { return cast.ToInt64(a) - cast.ToInt64(b) },
		"div": func(a, b any) int64 { return cast.ToInt64(a) / cast.ToInt64(b) },
		"mod": func(a, b any) int64 { return cast.ToInt64(a) % cast.ToInt64(b) }, "mul": multiply,
		"add1f": func(v any) float64 { return exactly(v, []any{1}, (*big.Rat).Add) },
		"addf":  func(list ...any) float64 { return exactly(float64(0), list, (*big.Rat).Add) },
		"subf":  func(v any, list ...any) float64 { return exactly(v, list, (*big.Rat).Sub) },
		"mulf":  func(v any, list ...any) float64 { return exactly(v, list, (*big.Rat).Mul) },
		"divf":  func(v any, list ...any) float64 { return exactly(v, list, quotient) },
		"max":   largest, "biggest": largest, "min": smallest, "maxf": largestFloat, "minf": smallestFloat,
		"ceil":  func(v any) float64 { return math.Ceil(cast.ToFloat64(v)) },
		"floor": func(v any) float64 { return math.Floor(cast.ToFloat64(v)) }, "round": round,
		"duration": duration, "durationRound": durationRound,
		"unixEpoch":  func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) },
		"dateModify": dateModify, "date_modify": dateModify,
		"mustDateModify": mustDateModify, "must_date_modify": mustDateModify,
	}
}

func add(list ...any) (sum int64) {
	for _, v := range list {
		sum += cast.ToInt64(v)
	}
	return sum
}

func multiply(v any, list ...any) int64 {
	product := cast.ToInt64(v)
	for _, v := range list {
		product *= cast.ToInt64(v)
	}
	return product
}

func largest(v any, list ...any) int64 {
	found := cast.ToInt64(v)
	for _, v := range list {
		found = max(found, cast.ToInt64(v))
	}
	return found
}

func smallest(v any, list ...any) int64 {
	found := cast.ToInt64(v)
	for _, v := range list {
		found = min(found, cast.ToInt64(v))
	}
	return found
}

func largestFloat(v any, list ...any) float64 {
	found := cast.ToFloat64(v)
	for _, v := range list {
		found = math.Max(found, cast.ToFloat64(v))
	}
	return found
}

func smallestFloat(v any, list ...any) float64 {
	found := cast.ToFloat64(v)
	for _, v := range list {
		found = math.Min(found, cast.ToFloat64(v))
	}
	return found
}

// fromOctal reads an octal number.
func fromOctal(v any) int64 {
	n, err := strconv.ParseInt(fmt.Sprint(v), 8, 64)
	if err != nil {
		return 0
	}
	return n
}

func until(count int) []int {
	if count < 0 {
		return untilStep(0, count, -1)
	}
	return untilStep(0, count, 1)
}

func untilStep(start, stop, step int) []int {
	list := []int{}
	if stop < start && step < 0 {
		for i := start; i > stop; i += step {
			list = append(list, i)
		}
	}
	if stop >= start && step > 0 {
		for i := start; i < stop; i += step {
			list = append(list, i)
		}
	}
	return list
}

// sequence returns numbers like the command seq: up to the last, from the first, with a step between both.
func sequence(params ...int) string {
	start, step := 1, 0
	var end int
	switch len(params) {
	case 1:
		end = params[0]
	case 2:
		start, end = params[0], params[1]
	case 3:
		start, step, end = params[0], params[1], params[2]
	default:
		return ""
	}
	direction := 1
	if end < start {
		direction = -1
		if len(params) == 3 && step > 0 {
			return ""
		}
	}
	if len(params) < 3 {
		step = direction
	}
	return strings.Trim(fmt.Sprint(untilStep(start, end+direction, step)), "[]")
}

// round rounds to a number of places. A digit of 0.5 or more, or of the optional third argument, is rounded up.
func round(v any, places int, up ...float64) float64 {
	limit := .5
	if len(up) > 0 {
		limit = up[0]
	}
	power := math.Pow(10, float64(places))
	scaled := power * cast.ToFloat64(v)
	if _, rest := math.Modf(scaled); rest >= limit {
		return math.Ceil(scaled) / power
	}
	return math.Floor(scaled) / power
}

// exactly computes with decimal numbers, so that 0.1 and 0.2 are 0.3.
func exactly(v any, list []any, operation func(z, x, y *big.Rat) *big.Rat) float64 {
	result := decimal(v)
	for _, v := range list {
		result = operation(new(big.Rat), result, decimal(v))
	}
	f, _ := result.Float64()
	return f
}

// decimal returns the shortest decimal number that is a float.
func decimal(v any) *big.Rat {
	f := cast.ToFloat64(v)
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		panic(fmt.Sprintf("Cannot create a Decimal from %v", f))
	}
	return r
}

const quotientPlaces = 16

// quotient sets z to x/y with 16 decimal places, half rounded away from zero.
func quotient(z, x, y *big.Rat) *big.Rat {
	if y.Sign() == 0 {
		panic("decimal division by 0")
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(quotientPlaces), nil)
	exact := new(big.Rat).Mul(new(big.Rat).Quo(x, y), new(big.Rat).SetInt(scale))
	whole, rest := new(big.Int).QuoRem(exact.Num(), exact.Denom(), new(big.Int))
	if rest.Abs(rest).Lsh(rest, 1).Cmp(exact.Denom()) >= 0 {
		whole.Add(whole, big.NewInt(int64(exact.Sign())))
	}
	return z.SetFrac(whole, scale)
}

// duration returns a number of seconds as a duration.
func duration(v any) string {
	var seconds int64
	switch v := v.(type) {
	case string:
		seconds, _ = strconv.ParseInt(v, 10, 64)
	case int64:
		seconds = v
	}
	return (time.Duration(seconds) * time.Second).String()
}

// durationRound returns a duration in its largest unit. The time that has passed since a date counts as 0.
func durationRound(v any) string {
	var d time.Duration
	switch v := v.(type) {
	case string:
		d, _ = time.ParseDuration(v)
	case int64:
		d = time.Duration(v)
	}
	size := uint64(d)
	if d < 0 {
		size = -size
	}
	const day = 24 * time.Hour
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{365 * day, "y"}, {30 * day, "mo"}, {day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if size > uint64(unit.size) {
			return strconv.FormatUint(size/uint64(unit.size), 10) + unit.name
		}
	}
	return "0s"
}

func dateModify(text string, t time.Time) time.Time {
	if d, err := time.ParseDuration(text); err == nil {
		return t.Add(d)
	}
	return t
}

func mustDateModify(text string, t time.Time) (time.Time, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return time.Time{}, err
	}
	return t.Add(d), nil
}
