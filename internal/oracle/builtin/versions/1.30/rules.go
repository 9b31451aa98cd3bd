package builtin

import (
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// noRules resolves the rules of a user for a SelfSubjectRulesReview, whose answer is not part of a verdict.
type noRules struct{}

func (noRules) RulesFor(user.Info, string) ([]authorizer.ResourceRuleInfo,
	[]authorizer.NonResourceRuleInfo, bool, error) {
	return nil, nil, false, nil
}
