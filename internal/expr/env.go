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

	"github.com/google/cel-go/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/kindvet/kindvet/internal/cel/environment"
)

// selfType is the name of the type of self; it must not be that of a variable, whose fields would then be taken for types.
const selfType = "selfType"

// siteEnv returns the environment of rules whose self has the given type; optionalOld makes oldSelf optional.
func siteEnv(self *apiservercel.DeclType, optionalOld bool) (*cel.Env, error) {
	base, err := environment.Base()
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
