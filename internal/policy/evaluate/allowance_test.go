package evaluate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/evaluate"
)

// costly takes a few hundred thousand steps; the policies of a library take a few dozen.
const costly = "[1, 2, 3, 4, 5, 6, 7, 8].all(a, [1, 2, 3, 4, 5, 6, 7, 8].all(b, [1, 2, 3, 4, 5, 6, 7, 8].all(c, " +
	"[1, 2, 3, 4, 5, 6, 7, 8].all(d, a + b + c + d > 0 && object.metadata.name != ''))))"

func evaluatorOf(text string) (*evaluate.Evaluator, *catalog.Kind) {
	kinds := catalog.New(catalog.KubernetesKinds(0))
	kind, _, _ := kinds.Lookup("apps", "v1", "Deployment")
	return evaluate.New(policy.NewSet(policy.ObjectsOf(documents(text)...), kinds), evaluate.Options{}), kind
}

// The policies of a run may cost no more than its allowance: what is not evaluated because of that is said.
func TestCostlyPoliciesEndAtTheAllowance(t *testing.T) {
	ordinary, kind := evaluatorOf(benchPolicies("deployments"))
	all := strings.NewReplacer(benchExpressions[0], costly).Replace(benchPolicies("deployments"))
	hostile, _ := evaluatorOf(all)
	for _, one := range []struct {
		name      string
		evaluator *evaluate.Evaluator
		allowance *cel.Allowance
		isCutOff  bool
	}{
		{"ordinary policies", ordinary, &cel.Allowance{}, false},
		{"ordinary policies at their free cost", ordinary, cel.Strict(), false},
		{"costly policies without a limit", hostile, nil, false},
		{"costly policies at their free cost", hostile, cel.Strict(), true},
	} {
		n := documents(benchObject)[0]
		share := one.allowance.Share(n.Size())
		r := one.evaluator.Evaluate(one.evaluator.Request(evaluate.Object{Kind: kind, New: n}), &share)
		share.Close()
		if r.IsCutOff != one.isCutOff {
			t.Errorf("%s: is cut off: %v", one.name, r.IsCutOff)
		}
		if one.allowance.IsUsedUp() {
			t.Errorf("%s: the allowance is used up", one.name)
		}
	}
	many := &cel.Allowance{}
	for i := 0; !many.IsUsedUp(); i++ {
		if i == 1000 {
			t.Fatal("a thousand objects do not use up the allowance")
		}
		n := documents(benchObject)[0]
		share := many.Share(n.Size())
		hostile.Evaluate(hostile.Request(evaluate.Object{Kind: kind, New: n}), &share)
		share.Close()
	}
}

// Parameters that a binding has to choose from cost steps, too.
func TestParametersCostSteps(t *testing.T) {
	var text strings.Builder
	text.WriteString(strings.NewReplacer("matchConstraints:", "paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints:",
		"validationActions:", "paramRef: {name: none, parameterNotFoundAction: Allow}, validationActions:").Replace(benchPolicies("deployments")))
	for i := range 2000 {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: p-%d, namespace: team}\n", i)
	}
	e, kind := evaluatorOf(text.String())
	n := documents(benchObject)[0]
	allowance := &cel.Allowance{}
	for i := 0; !allowance.IsUsedUp(); i++ {
		if i == 1000 {
			t.Fatal("a thousand objects do not use up the allowance")
		}
		share := allowance.Share(n.Size())
		e.Evaluate(e.Request(evaluate.Object{Kind: kind, New: n}), &share)
		share.Close()
	}
}

func TestTheSearchForMistakesEndsAtTheAllowance(t *testing.T) {
	e, _ := evaluatorOf(strings.NewReplacer(benchExpressions[0], strings.Replace(costly, "object.metadata.name != ''", "request.operation != ''", 1)+
		" && object != null").Replace(benchPolicies("deployments")))
	for _, isStrict := range []bool{false, true} {
		var allowance *cel.Allowance
		if isStrict {
			allowance = cel.Strict()
		}
		isSaid := false
		for _, v := range e.Mistakes(allowance) {
			isSaid = isSaid || v.Rule == diag.ReaderLimit
		}
		if isSaid != isStrict {
			t.Errorf("strict: %v, a limit is said: %v", isStrict, isSaid)
		}
	}
}

// A policy is compiled within the limit that the check of its document has.
func TestAPolicyThatTakesTooLongToCompileIsNotUsed(t *testing.T) {
	for size, isUsable := range map[int]bool{20: true, 1500: false} {
		long := "object.spec.replicas > 0" + strings.Repeat(" && object.spec.replicas > 0", size)
		e, _ := evaluatorOf(strings.Replace(benchPolicies("deployments"), benchExpressions[1], long, 1))
		unusable := e.Unusable()
		if (len(unusable) == 0) != isUsable {
			t.Errorf("%d: unusable policies: %v", size, unusable)
		}
		for _, i := range unusable {
			if !strings.Contains(i.Reason, "too complex") && !strings.Contains(i.Reason, "too large") {
				t.Errorf("%d: the reason is %q", size, i.Reason)
			}
		}
	}
}
