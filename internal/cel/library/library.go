// Package library holds the CEL functions that Kubernetes adds to CEL, and what every call costs on an API server.
//
// The functions, their errors and their costs are those of kube-apiserver 1.37 (k8s.io/apiserver, cel/library). The
// package exists because upstream's links the metrics, feature gates and API types of a server, which take longer to
// initialize than a small document takes to validate. internal/oracle compares each function, each error and each
// cost with upstream's. Even where upstream is odd, this package is not better.
//
// The values of these functions, such as a quantity, have upstream's own types (k8s.io/apiserver, cel).
//
// Decide anew if upstream's package can be used without those of a server.
package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// library is a set of functions. An environment has it only once, by name.
type library struct {
	name    string
	options []cel.EnvOption
	program []cel.ProgramOption
}

func (l *library) LibraryName() string                 { return l.name }
func (l *library) CompileOptions() []cel.EnvOption     { return l.options }
func (l *library) ProgramOptions() []cel.ProgramOption { return l.program }

// newLibrary returns the option that adds functions to an environment.
func newLibrary(name string, options ...cel.EnvOption) cel.EnvOption {
	return cel.Lib(&library{name: name, options: options})
}

// unary implements a function of one argument. The argument is a value of the Go type T.
func unary[T any](f func(T) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(arg ref.Val) ref.Val {
		v, ok := arg.Value().(T)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		return f(v)
	})
}

// binary implements a function of two arguments, which are values of the Go types T and U.
func binary[T, U any](f func(T, U) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(arg, other ref.Val) ref.Val {
		v, ok := arg.Value().(T)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		w, ok := other.Value().(U)
		if !ok {
			return types.MaybeNoSuchOverloadErr(other)
		}
		return f(v, w)
	})
}

// global declares a function, such as ip(string).
func global(name, overload string, result *cel.Type, f cel.OverloadOpt, args ...*cel.Type) cel.EnvOption {
	return cel.Function(name, cel.Overload(overload, args, result, f))
}

// method declares a function that is called on its first argument, such as self.family().
func method(name, overload string, result *cel.Type, f cel.OverloadOpt, args ...*cel.Type) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(overload, args, result, f))
}
