package typecheck_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/typecheck"
	"github.com/kindvet/kindvet/internal/source"
)

// found returns the findings about the policies of a file, by line.
func found(t *testing.T, name, text string, known []*catalog.Entry) map[int][]diag.Violation {
	t.Helper()
	lines := map[int][]diag.Violation{}
	for _, p := range policies(name, text) {
		violations, notEvaluated := typecheck.Check(p, known)
		if len(notEvaluated) > 0 {
			t.Errorf("%s: %v", name, notEvaluated)
		}
		for _, v := range violations {
			line := v.Place.Start().Line
			lines[line] = append(lines[line], v)
		}
	}
	return lines
}

func policies(name, text string) (list []*policy.Policy) {
	src := &source.Source{Name: name, Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		list = append(list, policy.Read(tree.Root()))
	}
	return list
}

func readFile(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAFieldThatNoMatchedKindHasIsFound(t *testing.T) {
	text := readFile(t, "testdata/unknown.yaml")
	have := found(t, "unknown.yaml", text, catalog.Embedded().Entries())
	wanted := regexp.MustCompile(`^ *# unknown (\w+)( at line (\d+) of it)?(: (.*))?$`)
	for i, line := range strings.Split(text, "\n") {
		m := wanted.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at := i + 2
		if m[3] != "" {
			below, _ := strconv.Atoi(m[3])
			at += below
		}
		if len(have[at]) != 1 {
			t.Errorf("line %d: %d findings, not 1 about %s", at, len(have[at]), m[1])
			continue
		}
		v := have[at][0]
		if v.Place.Text() != m[1] {
			t.Errorf("line %d: the place is %q, not %q", at, v.Place.Text(), m[1])
		}
		if m[5] != "" && v.Help != m[5] {
			t.Errorf("line %d: the help is %q, not %q", at, v.Help, m[5])
		}
		delete(have, at)
	}
	for line, list := range have {
		t.Errorf("line %d: %s", line, list[0].Message)
	}
}

func TestAFieldThatSomeMatchedKindMayHaveIsNotReported(t *testing.T) {
	for line, list := range found(t, "quiet.yaml", readFile(t, "testdata/quiet.yaml"), catalog.Embedded().Entries()) {
		t.Errorf("line %d: %s", line, list[0].Message)
	}
}

// policyFor returns a policy for deployments with an expression.
func policyFor(expression string) string {
	return fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments, statefulsets, daemonsets, replicasets]}]}
  validations: [{expression: %q}]
`, expression)
}

func TestAMessageNamesTheKinds(t *testing.T) {
	for expression, want := range map[string]string{
		"object.kind != 'Deployment' || object.spec.größe == 1":                     "", // not an expression
		"object.kind != 'Deployment' || object.spec.size == 1":                      `unknown field "size": Deployment has no object.spec.size`,
		"object.kind in ['Deployment', 'ReplicaSet'] ? object.spec.size > 1 : true": `unknown field "size": Deployment and ReplicaSet have no object.spec.size`,
		"object.spec.size > 1":                               `unknown field "size": Deployment, StatefulSet and 2 more kinds have no object.spec.size`,
		"object.spec.selector.matchExpressions.kay == ''":    `unknown field "kay": Deployment, StatefulSet and 2 more kinds have no object.spec.selector.matchExpressions.kay`,
		"object.spec.selector.matchExpressions[0].kay == ''": `unknown field "kay": Deployment, StatefulSet and 2 more kinds have no object.spec.selector.matchExpressions[...].kay`,
	} {
		have := ""
		for _, list := range found(t, "a.yaml", policyFor(expression), catalog.Embedded().Entries()) {
			have = list[0].Message
		}
		if have != want {
			t.Errorf("%s:\n%s\nnot\n%s", expression, have, want)
		}
	}
}

func TestKindsOfUsersAreKnown(t *testing.T) {
	crd := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: deployments.apps.example.com}
spec:
  group: apps.example.com
  names: {kind: Deployment, plural: deployments}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s: {type: integer}}}}}}
`
	policy := strings.NewReplacer("[apps]", "[apps.example.com]", ", statefulsets, daemonsets, replicasets", "").Replace(
		policyFor("object.spec.size == 1 && object.spec.sizes == 1"))
	for fields, want := range map[string][]string{
		"size": {"sizes"}, "sizes": {"size"}, "size/sizes": nil, "other": {"size", "sizes"},
	} {
		var known []*catalog.Entry
		for _, field := range strings.Split(fields, "/") { // several definitions of the kind
			src := &source.Source{Name: field + ".yaml", Text: fmt.Sprintf(crd, field)}
			s, _, violations := catalog.ReadCRDs(src)
			if len(violations) > 0 {
				t.Fatal(violations)
			}
			known = append(known, catalog.New(s).Entries()...)
		}
		var have []string
		for _, list := range found(t, "a.yaml", policy, known) {
			for _, v := range list {
				have = append(have, v.Place.Text())
			}
		}
		if slices.Sort(have); !slices.Equal(have, want) {
			t.Errorf("%s: %q, not %q", fields, have, want)
		}
	}
}

func TestALimitOfWorkIsSaid(t *testing.T) {
	deep := strings.Repeat("object.spec.template.spec.containers.all(c, ", 12) + "true" + strings.Repeat(")", 12)
	text := strings.ReplaceAll(policyFor(deep), "validations: [", "validations: ["+strings.Repeat(fmt.Sprintf("{expression: %q}, ", deep), 4000))
	_, notEvaluated := typecheck.Check(policies("a.yaml", text)[0], catalog.Embedded().Entries())
	if len(notEvaluated) != 1 || !strings.Contains(notEvaluated[0].Reason, "too many expressions") {
		t.Errorf("%v", notEvaluated)
	}
}
