package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// IntegerDuration is the overload of [Durations].
const IntegerDuration = "int64_to_duration"

// Durations returns the function that makes a duration of a number of nanoseconds, which cel-go removed from its standard
// library. Servers before 1.37 have it.
func Durations() cel.EnvOption {
	return global(overloads.TypeConvertDuration, IntegerDuration, cel.DurationType,
		cel.UnaryBinding(func(arg ref.Val) ref.Val { return arg.ConvertToType(types.DurationType) }), cel.IntType)
}
