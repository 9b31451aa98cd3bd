package library

import (
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Regex returns the functions find and findAll, which search a string for a regular expression (k8s.io/apiserver,
// cel/library/regex.go).
func Regex() cel.EnvOption {
	two := []*cel.Type{cel.StringType, cel.StringType}
	return cel.Lib(&library{
		name: "kubernetes.regex",
		options: []cel.EnvOption{
			cel.Function("find", cel.MemberOverload("string_find_string", two, cel.StringType,
				cel.BinaryBinding(func(text, pattern ref.Val) ref.Val { return search(find, text, pattern) }))),
			cel.Function("findAll",
				cel.MemberOverload("string_find_all_string", two, cel.ListType(cel.StringType),
					cel.BinaryBinding(func(text, pattern ref.Val) ref.Val { return search(findAll, text, pattern) })),
				cel.MemberOverload("string_find_all_string_int", append(two, cel.IntType), cel.ListType(cel.StringType),
					cel.FunctionBinding(func(args ...ref.Val) ref.Val { return search(findAll, args...) }))),
		},
		program: []cel.ProgramOption{cel.OptimizeRegex(FindOptimization(), FindAllOptimization())},
	})
}

// FindOptimization compiles the pattern of find when a program is planned, if it is a literal.
func FindOptimization() *interpreter.RegexOptimization { return optimization("find", find) }

// FindAllOptimization compiles the pattern of findAll when a program is planned, if it is a literal.
func FindAllOptimization() *interpreter.RegexOptimization { return optimization("findAll", findAll) }

// optimization calls a search with the compiled pattern. It does not read the pattern among the arguments again.
func optimization(function string, f func(*regexp.Regexp, string, int) ref.Val) *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{
		Function: function, RegexIndex: 1,
		Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
			compiled, err := regexp.Compile(pattern)
			if err != nil {
				return nil, err
			}
			search := func(args ...ref.Val) ref.Val {
				if len(args) < 2 || len(args) > 3 {
					return types.NoSuchOverloadErr()
				}
				return run(f, compiled, args)
			}
			return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), search), nil
		},
	}
}

// search compiles the pattern and searches for it.
func search(f func(*regexp.Regexp, string, int) ref.Val, args ...ref.Val) ref.Val {
	if _, ok := args[0].Value().(string); !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	pattern, ok := args[1].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[1])
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return types.NewErr("Illegal regex: %v", err.Error())
	}
	return run(f, compiled, args)
}

// run searches args[0] for a pattern. The maximum number of results is args[2]; without it, there is none.
func run(f func(*regexp.Regexp, string, int) ref.Val, pattern *regexp.Regexp, args []ref.Val) ref.Val {
	text, ok := args[0].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	limit := int64(-1)
	if len(args) == 3 {
		if limit, ok = args[2].Value().(int64); !ok {
			return types.MaybeNoSuchOverloadErr(args[2])
		}
	}
	return f(pattern, text, int(limit))
}

func find(pattern *regexp.Regexp, text string, _ int) ref.Val {
	return types.String(pattern.FindString(text))
}

func findAll(pattern *regexp.Regexp, text string, limit int) ref.Val {
	return types.NewStringList(types.DefaultTypeAdapter, pattern.FindAllString(text, limit))
}
