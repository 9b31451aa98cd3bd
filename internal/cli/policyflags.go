package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/policy/evaluate"
	"github.com/kindvet/kindvet/internal/workspace"
)

// policyFlags say which admission policies are evaluated, and what is known of the requests.
type policyFlags struct {
	user, operation string
	groups          []string
}

func (f *policyFlags) register(c *cobra.Command, o *workspace.Options) {
	flags := c.Flags()
	flags.StringArrayVar(&o.Settings.Policies, "policies", nil,
		"`PATH` of admission policies to evaluate, with bindings and parameters: a file or a directory (repeatable)")
	flags.StringVar(&f.user, "user", "", "`NAME` of the user who sends the objects, for admission policies (default: not known)")
	flags.StringArrayVar(&f.groups, "group", nil, "`NAME` of a group of that user (repeatable)")
	flags.StringVar(&f.operation, "operation", "",
		"`OPERATION` for admission policies: create, update or delete (default: update where there is an old object, otherwise create)")
}

// operations are the values of the flag --operation.
var operations = map[string]string{"": "", "create": evaluate.Create, "update": evaluate.Update, "delete": evaluate.Delete}

func (f *policyFlags) apply(o *workspace.Options) error {
	operation, ok := operations[f.operation]
	if !ok {
		return invalidValue("operation", f.operation, "use create, update or delete")
	}
	o.Check.Operation = operation
	o.Check.Admission.User, o.Check.Admission.Groups = f.user, groupsOf(f.user, f.groups)
	return nil
}

// groupsOf returns the groups of a user: those of the flags, or of a service account, and that of all users. It returns nil if they
// are not known (k8s.io/apiserver, authentication/serviceaccount.MakeGroupNames).
func groupsOf(user string, groups []string) []string {
	if account, ok := strings.CutPrefix(user, "system:serviceaccount:"); ok {
		namespace, _, _ := strings.Cut(account, ":")
		groups = append(slices.Clip(groups), "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	}
	if len(groups) > 0 && !slices.Contains(groups, "system:authenticated") {
		groups = append(slices.Clip(groups), "system:authenticated")
	}
	return groups
}
