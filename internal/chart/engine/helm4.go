package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/BurntSushi/toml"
)

// functionsOfHelm4 returns the functions that only Helm 4 has (pkg/engine/funcs.go).
func functionsOfHelm4() template.FuncMap {
	// Of what is not a duration, the result is 0.
	whole := func(unit time.Duration) func(any) int64 {
		return func(v any) int64 {
			d, _ := duration(v)
			return int64(d / unit)
		}
	}
	multiple := func(of func(d, multiple time.Duration) time.Duration) func(v, multiple any) time.Duration {
		return func(v, multiple any) time.Duration {
			d, err := duration(v)
			if err != nil {
				return 0
			}
			if m, err := duration(multiple); err == nil {
				return of(d, m)
			}
			return d
		}
	}
	return template.FuncMap{
		"mustToToml": mustToTOML, "mustToDuration": duration,
		"durationSeconds":      func(v any) float64 { d, _ := duration(v); return d.Seconds() },
		"durationMilliseconds": whole(time.Millisecond),
		"durationMicroseconds": whole(time.Microsecond),
		"durationNanoseconds":  whole(time.Nanosecond),
		"durationMinutes":      func(v any) float64 { d, _ := duration(v); return d.Minutes() },
		"durationHours":        func(v any) float64 { d, _ := duration(v); return d.Hours() },
		"durationDays":         func(v any) float64 { d, _ := duration(v); return d.Hours() / 24 },
		"durationWeeks":        func(v any) float64 { d, _ := duration(v); return d.Hours() / 24 / 7 },
		"durationRoundTo":      multiple(time.Duration.Round),
		"durationTruncateTo":   multiple(time.Duration.Truncate),
	}
}

func mustToTOML(v any) (string, error) {
	var text bytes.Buffer
	err := toml.NewEncoder(&text).Encode(v)
	return text.String(), err
}

// duration returns a duration: of a text such as 1h30m, or of a number of seconds. With an error it is 0.
func duration(v any) (time.Duration, error) {
	switch x := v.(type) {
	case time.Duration:
		return x, nil
	case string:
		text := strings.TrimSpace(x)
		if d, err := time.ParseDuration(text); err == nil {
			return d, nil
		}
		if seconds, err := strconv.ParseFloat(text, 64); err == nil {
			return ofSeconds(seconds)
		}
		return 0, fmt.Errorf("could not parse duration %q", x)
	case nil:
		return 0, errors.New("invalid duration")
	}
	switch of := reflect.ValueOf(v); {
	case of.CanInt():
		seconds := of.Int()
		if limit := int64(math.MaxInt64 / time.Second); seconds > limit || seconds < -limit {
			return 0, fmt.Errorf("duration seconds overflow: %d", seconds)
		}
		return time.Duration(seconds) * time.Second, nil
	case of.CanUint():
		return ofSeconds(float64(of.Uint()))
	case of.CanFloat():
		return ofSeconds(of.Float())
	}
	return 0, fmt.Errorf("unsupported duration type %T", v)
}

func ofSeconds(seconds float64) (time.Duration, error) {
	nanos := seconds * float64(time.Second)
	if math.IsNaN(nanos) || math.Abs(nanos) >= math.MaxInt64 {
		return 0, fmt.Errorf("invalid duration seconds: %v", seconds)
	}
	return time.Duration(nanos), nil
}
