package export

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	admission "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

func exported(t *testing.T, registry *catalog.Catalog) (policies []admission.ValidatingAdmissionPolicy,
	bindings []admission.ValidatingAdmissionPolicyBinding, left []Left) {
	t.Helper()
	set, err := lint.New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	written, err := WritePolicies(&b, registry, set.Rules())
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(strings.TrimSuffix(b.String(), "---\n"), "---\n") {
		if strings.Contains(document, "kind: ValidatingAdmissionPolicyBinding\n") {
			bindings = append(bindings, admission.ValidatingAdmissionPolicyBinding{})
			err = yaml.UnmarshalStrict([]byte(document), &bindings[len(bindings)-1])
		} else {
			policies = append(policies, admission.ValidatingAdmissionPolicy{})
			err = yaml.UnmarshalStrict([]byte(document), &policies[len(policies)-1])
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, document)
		}
	}
	return policies, bindings, written.Left
}

func TestEveryRuleIsExportedOrSaidWhyNot(t *testing.T) {
	policies, bindings, left := exported(t, catalog.Embedded())
	if len(policies) < 60 || len(policies) != len(bindings) || len(policies)+len(left) != len(rule.All(nil)) {
		t.Errorf("%d policies, %d bindings, %d left, of %d rules", len(policies), len(bindings), len(left),
			len(rule.All(nil)))
	}
	for i, b := range bindings {
		if b.Spec.PolicyName != policies[i].Name {
			t.Errorf("binding %s is of %s", policies[i].Name, b.Spec.PolicyName)
		}
		actions := b.Spec.ValidationActions
		if slices.Contains(actions, admission.Deny) && slices.Contains(actions, admission.Warn) {
			t.Errorf("binding %s denies and warns, which may not be combined", b.Name)
		}
	}
	for _, l := range left {
		if l.Name == "" || l.Why == "" {
			t.Errorf("%q is left for %q", l.Name, l.Why)
		}
	}
	t.Logf("%d of %d rules are exported", len(policies), len(rule.All(nil)))
}

// policySignature declares the variables of an admission policy that policies use.
var policySignature = cel.Signature{
	Environment: cel.NewEnvironment(
		cel.Variable{Name: "object", Type: cel.Dyn()},
		cel.Variable{Name: "oldObject", Type: cel.Dyn(), IsNullable: true},
	),
	AllowDyn: true,
}

// The exported policy and the rule give the same result on each document of the rule's examples.
func TestPoliciesAnswerAsTheirRules(t *testing.T) { answerAsTheirRules(t, catalog.Embedded()) }

// The same holds with a platform's names, on the same documents translated to these names.
func TestPoliciesInAPlatformsNamesAnswerAsTheirRules(t *testing.T) {
	answerAsTheirRules(t, platform(t))
}

func answerAsTheirRules(t *testing.T, registry *catalog.Catalog) {
	policies, _, _ := exported(t, registry)
	rejected, passed := 0, 0
	for _, p := range policies {
		r := ruleOf(t, p.Name)
		set, err := lint.New(rule.Options{Own: []*rule.Rule{r}})
		if err != nil {
			t.Fatal(err)
		}
		compiled, faults := cel.Compile(p.Spec.Validations[0].Expression, policySignature)
		if len(faults) > 0 {
			t.Errorf("%s: %s in %s", p.Name, faults[0].Message, p.Spec.Validations[0].Expression)
			continue
		}
		own := documents(t, r, registry.InOwnNames)
		for i, d := range documents(t, r, func(text string) string { return text }) {
			if !isAbout(p, own[i], registry) {
				continue
			}
			found := len(set.Check(d).Violations) + len(set.Written(d).Violations)
			result := compiled.Eval(compiled.Activate([]cel.Argument{{Node: own[i].Root}, {Node: own[i].Old}}, nil))
			ok, err := result.IsTrue(), result.Err
			if err != nil {
				t.Errorf("%s on %s: %v", p.Name, d.Root.Tree().Source.Name, err)
			} else if ok != (found == 0) {
				t.Errorf("%s on %s: the policy says %v, the rule finds %d", p.Name, d.Root.Tree().Source.Name, ok, found)
			}
			if ok {
				passed++
			} else {
				rejected++
			}
		}
	}
	if rejected < len(policies) || passed < len(policies) {
		t.Errorf("%d documents rejected and %d passed by %d policies", rejected, passed, len(policies))
	}
}

// platform returns a registry with the names in testdata/platform.yaml.
func platform(t *testing.T) *catalog.Catalog {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "platform.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c, violations := config.Parse(&source.Source{Name: "platform.yaml", Text: string(text)})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	renamed, violations := catalog.Renamed(catalog.BuiltInKinds(), c.Names)
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	return catalog.New(catalog.KubernetesKinds(0), catalog.BuiltInKinds(), renamed)
}

func TestPoliciesAreInAPlatformsNames(t *testing.T) {
	var b bytes.Buffer
	set, err := lint.New(rule.Options{Profile: "all"})
	if err != nil {
		t.Fatal(err)
	}
	own, err := WritePolicies(&b, platform(t), set.Rules())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"platform.cloud", "vendor.dev", "targetgroupbindings"} {
		if strings.Contains(b.String(), word) {
			t.Errorf("a policy has the built-in name %s", word)
		}
	}
	builtIn, err := WritePolicies(io.Discard, catalog.Embedded(), set.Rules())
	if err != nil {
		t.Fatal(err)
	}
	if own.BuiltIn != 0 || builtIn.BuiltIn < 60 || builtIn.BuiltIn >= builtIn.Written ||
		!slices.Contains(builtIn.Groups, "elbv2.platform.cloud") {
		t.Errorf("%d policies for built-in names in a platform's, %d of %d otherwise, groups %v", own.BuiltIn,
			builtIn.BuiltIn, builtIn.Written, builtIn.Groups)
	}
	for _, l := range own.Left {
		if !slices.Contains(builtIn.Left, l) {
			t.Errorf("not exported in a platform's names: %s: %s", l.Name, l.Why)
		}
	}
}

func ruleOf(t *testing.T, policy string) *rule.Rule {
	policy = strings.TrimSuffix(strings.TrimSuffix(policy, "-2"), "-3") // for a rule with several policies
	for _, r := range rule.All(nil) {
		if "kindvet-"+strings.ReplaceAll(string(r.ID), "/", "-") == policy {
			return r
		}
	}
	t.Fatalf("no rule has the policy %s", policy)
	return nil
}

// documents reads the examples of a rule. Those of an update have an old object.
func documents(t *testing.T, r *rule.Rule, inNames func(string) string) []*lint.Document {
	t.Helper()
	old := map[string]manifest.Node{}
	for _, n := range roots(t, r, "old", inNames) {
		old[nameOf(n)] = n
	}
	var list []*lint.Document
	for _, n := range slices.Concat(roots(t, r, "bad", inNames), roots(t, r, "good", inNames)) {
		apiVersion, _ := n.Field("apiVersion")
		kind, _ := n.Field("kind")
		group, _ := catalog.SplitAPIVersion(apiVersion.Text())
		list = append(list, &lint.Document{
			Document: sets.Document{Root: n, Group: group, Kind: kind.Text()}, Old: old[nameOf(n)],
		})
	}
	return list
}

func nameOf(n manifest.Node) string {
	meta, ok := n.Field("metadata")
	if !ok {
		return ""
	}
	name, _ := meta.Field("name")
	return name.Text()
}

func roots(t *testing.T, r *rule.Rule, sort string, inNames func(string) string) []manifest.Node {
	t.Helper()
	text, err := rules.Lint.ReadFile("lint/" + string(r.ID) + "/" + sort + ".yaml")
	if err != nil {
		return nil
	}
	src := &source.Source{Name: string(r.ID) + "/" + sort + ".yaml", Text: inNames(string(text))}
	var list []manifest.Node
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Fatal(vs[0].Message)
		}
		list = append(list, tree.Root())
	}
	return list
}

func isAbout(p admission.ValidatingAdmissionPolicy, d *lint.Document, registry *catalog.Catalog) bool {
	for _, rule := range p.Spec.MatchConstraints.ResourceRules {
		plural := ""
		if e, ok := registry.Entry(d.Group, d.Kind); ok {
			plural = e.Plural
		}
		if (rule.APIGroups[0] == "*" || rule.APIGroups[0] == d.Group) &&
			(rule.Resources[0] == "*" || rule.Resources[0] == plural) {
			return true
		}
	}
	return false
}

func TestDefinitionsAreThoseThatAClusterInstalls(t *testing.T) {
	var b bytes.Buffer
	left, err := Definitions(&b, catalog.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	kinds, found, violations := catalog.ReadCRDs(&source.Source{Name: "crds.yaml", Text: b.String()})
	for _, e := range kinds {
		violations = append(violations, e.Violations()...)
	}
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	if strings.HasPrefix(b.String(), "{") || strings.Contains(b.String(), "\n---\n---\n") {
		t.Errorf("the stream begins with %.20q", b.String())
	}
	if len(left) != 1 || found != len(catalog.BuiltInKinds())-4 || strings.Contains(b.String(), "k8s.io\nspec:") {
		t.Errorf("%d definitions, %v left", found, left)
	}
}

// kubectl parses a stream that begins with a brace as JSON, and reads only its first object.
func TestDefinitionsInAPlatformsNamesAreYAML(t *testing.T) {
	var b bytes.Buffer
	if _, err := Definitions(&b, platform(t)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "---\n") || strings.Contains(b.String(), "\n---\n---\n") {
		t.Errorf("the stream begins with %.20q", b.String())
	}
}

// An editor must not report what a server accepts.
func TestKeywordsOfKubernetesAreTranslated(t *testing.T) {
	const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: words.example.com}
spec:
  group: example.com
  names: {kind: Word, plural: words}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          closed: {type: object, properties: {a: {type: string}}}
          open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}
          labels: {type: object, additionalProperties: {type: string, nullable: true}}
          nullable: {type: string, nullable: true}
          either: {x-kubernetes-int-or-string: true}
`
	kinds, _, violations := catalog.ReadCRDs(&source.Source{Name: "crd.yaml", Text: crd})
	if len(violations) > 0 {
		t.Fatal(violations[0].Message)
	}
	k, _, _ := catalog.New(kinds).Lookup("example.com", "v1", "Word")
	text, err := JSONSchema(k)
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"closed":   `{"additionalProperties":false,"properties":{"a":{"type":"string"}},"type":"object"}`,
		"open":     `{"properties":{"a":{"type":"string"}},"type":"object"}`,
		"labels":   `{"additionalProperties":{"type":["string","null"]},"type":"object"}`,
		"nullable": `{"type":["string","null"]}`, "either": `{"type":["integer","string"]}`,
	} {
		var have bytes.Buffer
		if err := json.Compact(&have, s.Properties[name]); err != nil || have.String() != want {
			t.Errorf("%s: have %s, want %s", name, have.String(), want)
		}
	}
}

func TestJSONSchemasAreOpenOnlyWhereTheKindIs(t *testing.T) {
	k, _, ok := catalog.Embedded().Lookup("elbv2.platform.cloud", "v1beta1", "TargetGroupBinding")
	if !ok {
		t.Fatal("there is no TargetGroupBinding")
	}
	text, err := JSONSchema(k)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "x-kubernetes-") {
		t.Error("the schema has what only an API server knows")
	}
	var s struct {
		AdditionalProperties any
		Properties           struct {
			Kind struct{ Const string }
			Spec struct {
				Required   []string
				Properties struct{ TargetType struct{ Enum []string } }
			}
		}
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.AdditionalProperties != false || s.Properties.Kind.Const != "TargetGroupBinding" ||
		len(s.Properties.Spec.Required) != 2 ||
		!slices.Equal(s.Properties.Spec.Properties.TargetType.Enum, []string{"instance", "ip"}) {
		t.Errorf("have %+v", s)
	}
}
