package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
)

// The limit is for the policies and bindings among the files and those of the configuration together.
func TestTheNumberOfPoliciesIsLimited(t *testing.T) {
	binding := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b%d}\n" +
		"spec: {policyName: a, validationActions: [Deny]}\n"
	bindings := func(from, to int) string {
		var all strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&all, "---\n"+binding, i)
		}
		return all.String()
	}
	policy := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "true"}]
`
	for _, more := range []int{0, 1} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			".kindvet.yaml": "policies: [policies]\n", "policies/a.yaml": policy + bindings(1, 3000),
			"files/b.yaml": bindings(3000, maxPolicies+more), "files/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		} {
			full := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		result, err := runHere(t.Context(), Options{Files: find.Options{Paths: []string{"files"}}})
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, v := range result.Report.Violations {
			if v.Rule == diag.ReaderLimit {
				said++
			}
		}
		if said != more {
			t.Errorf("with %d policies and bindings there are %d findings about the limit, not %d", maxPolicies+more, said, more)
		}
	}
}
