// Package expr evaluates CEL rules over the nodes of documents, typed by their schemas, and says which operands made one false.
//
// A rule is evaluated twice at most. First as closures over the tree, which are compiled from its checked AST and know mostly whether it is
// true or false, which costs next to nothing. What they do not know is evaluated by cel-go's program, with its cost counted as the server
// counts it; there values are adapters on the tree, and from there come errors, messages and blame. Work that cost does not count is counted
// beside it, and bounded for each document. Types are those that the API server derives from a structural schema, libraries those of
// kube-apiserver 1.36. Environments and programs are made when a document first needs them; the rules of embedded kinds ship checked, so
// that clean documents need none.
package expr

import (
	"errors"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// baseEnv is the environment that all rules share (k8s.io/apiserver, cel/environment.baseOpts, as far as 1.36 has them for rules of
// custom resources; the authorizer is none of their business). It is made at the first call.
var baseEnv = sharedEnv

var shared struct {
	once sync.Once
	env  *cel.Env
	err  error
}

func sharedEnv() (*cel.Env, error) {
	shared.once.Do(func() { shared.env, shared.err = newEnv() })
	return shared.env, shared.err
}

func newEnv() (*cel.Env, error) {
	return cel.NewEnv(
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		library.URLs(),
		library.Regex(),
		library.Lists(),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		library.Authz(),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
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
		library.AuthzSelectors(),
		ext.TwoVarComprehensions(),
		library.SemverLib(library.SemverVersion(1)),
		ext.Lists(ext.ListsVersion(3)),
	)
}

// limits are the options of a program that is judged as the server judges it, with its cost counted and bounded. The work that cost does
// not count is bounded beside it.
func limits(estimator interpreter.ActualCostEstimator) []cel.ProgramOption {
	return append(metered(),
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.CostTracking(estimator),
		cel.CostLimit(celconfig.PerCallLimit),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency),
	)
}

// selfType is the name of the type of self; it must not be that of a variable, whose fields would then be taken for types.
const selfType = "selfType"

// siteEnv returns the environment of rules whose self has the given type; optionalOld makes oldSelf optional.
func siteEnv(self *apiservercel.DeclType, optionalOld bool) (*cel.Env, error) {
	base, err := baseEnv()
	if err != nil {
		return nil, err
	}
	if self == nil {
		return nil, errors.New("rules cannot see a value of its type")
	}
	self = self.MaybeAssignTypeName(selfType)
	provider := apiservercel.NewDeclTypeProvider(self)
	provider.SetRecognizeKeywordAsFieldName(true)
	options, err := provider.EnvOptions(base.CELTypeProvider())
	if err != nil {
		return nil, err
	}
	old := self.CelType()
	if optionalOld {
		old = cel.OptionalType(old)
	}
	return base.Extend(append(options, cel.Variable("self", self.CelType()), cel.Variable("oldSelf", old))...)
}
