// Package environment provides the CEL environment that API servers share: the libraries of kube-apiserver 1.37,
// the limits of a program, and the accounting of work.
//
// The cost of CEL, as the server counts it, ignores much of what a call does: comparing two objects counts as one
// step, and computing the size of a string is free. A rule can therefore stay below every cost limit and still take
// hours. The arguments of a call determine how much it will do. This is its work, which is counted before each
// call. A document has a budget of work in addition to its budget of cost.
package environment

import (
	"sync"
	"sync/atomic"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/kindvet/kindvet/internal/cel/library"
)

// shared is what Base returns.
var shared = sync.OnceValues(newEnv)

// isBuilt is what IsBuilt returns.
var isBuilt atomic.Bool

// Base returns the environment that all expressions share (k8s.io/apiserver, cel/environment.baseOpts, limited to
// what 1.37 offers to rules of custom resources, which excludes the authorizer). The first call builds it, which
// takes milliseconds.
func Base() (*cel.Env, error) { return shared() }

// IsBuilt reports whether this process has built the environment. Clean documents of embedded kinds do not need it.
func IsBuilt() bool { return isBuilt.Load() }

func newEnv() (*cel.Env, error) {
	isBuilt.Store(true)
	return cel.NewEnv(
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		library.URLs(),
		library.Regex(),
		library.Lists(),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		library.Authorizer(),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		boundedMacros,
		library.Quantity(),
		cel.ASTValidators(
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals(),
		),
		ext.Strings(ext.StringsVersion(2)),
		ext.Sets(),
		library.IP(),
		library.CIDR(),
		library.Format(),
		library.AuthorizerSelectors(),
		ext.TwoVarComprehensions(),
		library.Semver(),
		ext.Lists(ext.ListsVersion(3)),
		library.Durations(),
	)
}

// Limits returns the options of the program of an expression that is evaluated as the server does: with its cost
// counted and limited. The work that the cost ignores is limited as well.
func Limits(expression ast.Expr, estimator interpreter.ActualCostEstimator) []cel.ProgramOption {
	return append(metered(expression),
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.CostTracking(estimator),
		cel.CostLimit(celconfig.PerCallLimit),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency),
	)
}

// Implementation returns the implementation of a call, as cel-go's planner finds it: by overload, otherwise by
// function. It returns nil if there is none.
func Implementation(function, overload string) *functions.Overload {
	env, err := Base()
	if err != nil {
		return nil
	}
	declared, ok := env.Functions()[function]
	if !ok {
		return nil
	}
	bindings, err := declared.Bindings()
	if err != nil {
		return nil
	}
	var byName *functions.Overload
	for _, b := range bindings {
		switch b.Operator {
		case overload:
			return b
		case function:
			byName = b
		}
	}
	return byName
}
