package library

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Types of the variables authorizer and authorizer.requestResource of admission policies.
var (
	AuthorizerType    = cel.ObjectType("kubernetes.authorization.Authorizer")
	ResourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")
)

// Types of what the functions of an authorizer return.
var (
	pathCheckType  = cel.ObjectType("kubernetes.authorization.PathCheck")
	groupCheckType = cel.ObjectType("kubernetes.authorization.GroupCheck")
	decisionType   = cel.ObjectType("kubernetes.authorization.Decision")
)

// Authorizer returns the functions of authorizers, which ask an API server whether a user may do something
// (k8s.io/apiserver, cel/library/authz.go). Expressions that call them can be checked, but not evaluated: only a
// server has an authorizer.
func Authorizer() cel.EnvOption {
	text := cel.StringType
	return newLibrary("kubernetes.authz",
		asked("path", "authorizer_path", pathCheckType, AuthorizerType, text),
		asked("group", "authorizer_group", groupCheckType, AuthorizerType, text),
		asked("serviceAccount", "authorizer_serviceaccount", AuthorizerType, AuthorizerType, text, text),
		asked("resource", "groupcheck_resource", ResourceCheckType, groupCheckType, text),
		asked("subresource", "resourcecheck_subresource", ResourceCheckType, ResourceCheckType, text),
		asked("namespace", "resourcecheck_namespace", ResourceCheckType, ResourceCheckType, text),
		asked("name", "resourcecheck_name", ResourceCheckType, ResourceCheckType, text),
		cel.Function("check",
			cel.MemberOverload("pathcheck_check", []*cel.Type{pathCheckType, text}, decisionType,
				cel.BinaryBinding(noneOfTwo)),
			cel.MemberOverload("resourcecheck_check", []*cel.Type{ResourceCheckType, text}, decisionType,
				cel.BinaryBinding(noneOfTwo))),
		asked("errored", "decision_errored", cel.BoolType, decisionType),
		asked("error", "decision_error", text, decisionType),
		asked("allowed", "decision_allowed", cel.BoolType, decisionType),
		asked("reason", "decision_reason", text, decisionType),
	)
}

// AuthorizerSelectors returns the functions that limit a question to objects with certain fields or labels
// (k8s.io/apiserver, cel/library/authz.go).
func AuthorizerSelectors() cel.EnvOption {
	return newLibrary("kubernetes.authzSelectors",
		asked("fieldSelector", "authorizer_fieldselector", ResourceCheckType, ResourceCheckType, cel.StringType),
		asked("labelSelector", "authorizer_labelselector", ResourceCheckType, ResourceCheckType, cel.StringType),
	)
}

// asked declares a function of an authorizer.
func asked(name, overload string, result *cel.Type, args ...*cel.Type) cel.EnvOption {
	f := cel.FunctionBinding(none)
	switch len(args) {
	case 1:
		f = cel.UnaryBinding(noneOfOne)
	case 2:
		f = cel.BinaryBinding(noneOfTwo)
	}
	return method(name, overload, result, f, args...)
}

// none is the result of every call, because no value is an authorizer.
func none(args ...ref.Val) ref.Val { return types.MaybeNoSuchOverloadErr(args[0]) }

func noneOfOne(arg ref.Val) ref.Val    { return none(arg) }
func noneOfTwo(arg, _ ref.Val) ref.Val { return none(arg) }
