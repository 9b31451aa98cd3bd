package evaluate_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/evaluate"
	"github.com/kindvet/kindvet/internal/source"
)

// recorded is what an API server decides about a request.
type recorded struct {
	Operation, Error string
	Allowed          bool
	Code             int
	Reason, Message  string
	Evaluated        []struct {
		Policy      string
		Skipped     bool
		Validations []struct{ Action, Outcome, Reason, Message string }
	}
}

// sent is a request other than that which creates or updates an object.
type sent struct {
	Object          int
	Operation, User string
	Groups          []string
}

// corpus has the cases of testdata/requests.txtar.gz: policies of public projects with objects, and what kube-apiserver's own code
// decides about them. Each case has its files by name.
func corpus(t *testing.T) map[string]map[string]string {
	packed, err := os.ReadFile("testdata/requests.txtar.gz")
	if err != nil {
		t.Fatal(err)
	}
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string]string{}
	for _, f := range txtar.Parse(text).Files {
		name := path.Dir(f.Name)
		if cases[name] == nil {
			cases[name] = map[string]string{}
		}
		cases[name][path.Base(f.Name)] = string(f.Data)
	}
	return cases
}

// TestRequestsAreDecidedAsAnAPIServerDoes compares decision, reason and message of each request, and the outcome of each
// expression, with those of kube-apiserver.
func TestRequestsAreDecidedAsAnAPIServerDoes(t *testing.T) {
	cases, requests := corpus(t), 0
	for name, files := range cases {
		for i, diff := range differences(t, files) {
			requests++
			if diff != "" {
				t.Errorf("%s: request %d: %s", name, i, diff)
			}
		}
	}
	if len(cases) < 189 || requests < 800 {
		t.Errorf("have %d cases and %d requests", len(cases), requests)
	}
}

// differences compares the requests of a case. It returns a text for each of them, which is empty if there is no difference.
func differences(t *testing.T, files map[string]string) (found []string) {
	var wanted []recorded
	decoder := json.NewDecoder(strings.NewReader(files["verdicts.jsonl"]))
	for decoder.More() {
		var v recorded
		if err := decoder.Decode(&v); err != nil {
			t.Fatal(err)
		}
		wanted = append(wanted, v)
	}
	requests := make([]sent, len(wanted))
	if files["requests.json"] == "" {
		for i := range requests {
			requests[i].Object = i
		}
	} else if err := json.Unmarshal([]byte(files["requests.json"]), &requests); err != nil {
		t.Fatal(err)
	}
	kinds := catalog.New(slices.Concat(
		[]catalog.Source{catalog.KubernetesKinds(36), catalog.Embedded().Entries(), discover(files["context.yaml"])}, guessed(files["objects.yaml"]))...)
	objects := slices.Concat(documents(files["policy.yaml"]), documents(files["context.yaml"]))
	set := policy.NewSet(policy.ObjectsOf(objects...), kinds)
	for i, want := range wanted {
		diff := ""
		if want.Error == "" {
			diff = difference(set, kinds, documents(files["objects.yaml"])[requests[i].Object], documents(files["old.yaml"]), requests[i], want)
		}
		found = append(found, diff)
	}
	return found
}

func discover(text string) catalog.Source {
	found, _ := catalog.DiscoverCRDs(&source.Source{Name: "crds.yaml", Text: text})
	return found
}

// guessed returns the kinds that no CRD describes. A server knows them, so they have any fields.
func guessed(text string) (kinds []catalog.Source) {
	for _, n := range documents(text) {
		group, version := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
		kind := n.TextAt("kind")
		if group == "" || catalog.IsKubernetesGroup(group) {
			continue
		}
		plural, scope := strings.ToLower(kind)+"s", "Namespaced"
		if stem, ok := strings.CutSuffix(plural, "ys"); ok {
			plural = stem + "ies"
		}
		if strings.HasPrefix(kind, "Cluster") || kind == "NodePool" || kind == "GatewayClass" {
			scope = "Cluster"
		}
		kinds = append(kinds, discover(fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.%s}
spec:
  group: %[2]s
  scope: %[5]s
  names: {kind: %[3]s, plural: %[1]s}
  versions:
  - name: %[4]s
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`, plural, group, kind, version, scope)))
	}
	return kinds
}

func documents(text string) (list []manifest.Node) {
	src := &source.Source{Name: "a.yaml", Text: text}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		if root := tree.Root(); root.Valid() && root.Type() == manifest.Map && root.Len() > 0 {
			list = append(list, root)
		}
	}
	return list
}

func isSameObject(a, b manifest.Node) bool {
	inA, inB := a.At("metadata"), b.At("metadata")
	groupA, _ := catalog.SplitAPIVersion(a.TextAt("apiVersion"))
	groupB, _ := catalog.SplitAPIVersion(b.TextAt("apiVersion"))
	return groupA == groupB && a.TextAt("kind") == b.TextAt("kind") && inA.TextAt("name") == inB.TextAt("name") &&
		inA.TextAt("namespace") == inB.TextAt("namespace")
}

// difference compares a request. What the recorded server knows is known: its user, the Namespaces and the parameters.
func difference(set *policy.Set, kinds *catalog.Catalog, n manifest.Node, olds []manifest.Node, r sent, want recorded) string {
	o := evaluate.Options{User: r.User, Groups: r.Groups, IsClosed: true, KeepsAll: true}
	if r.User == "" {
		o.User, o.Groups = "kindvet", append(slices.Clone(r.Groups), "system:authenticated")
	}
	e := evaluate.New(set, o)
	group, version := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
	kind, _, ok := kinds.Lookup(group, version, n.TextAt("kind"))
	if !ok {
		return "unknown kind " + n.TextAt("kind")
	}
	entry, _ := kinds.Entry(group, kind.Name)
	object := evaluate.Object{Kind: kind, Versions: entry.Versions, New: n, Operation: want.Operation}
	for _, old := range olds {
		if isSameObject(old, n) {
			object.Old = old
		}
	}
	have, outcomes := summarize(e.Evaluate(e.Request(object), &cel.Share{}))
	expected := recorded{Allowed: want.Allowed, Code: want.Code, Reason: want.Reason, Message: want.Message}
	if _, after, ok := strings.Cut(want.Message, " is forbidden: "); ok {
		expected.Message = after
	}
	if !slices.Equal([]any{have.Allowed, have.Code, have.Reason, have.Message},
		[]any{expected.Allowed, expected.Code, expected.Reason, expected.Message}) {
		return fmt.Sprintf("\nhave %v %d %s %s\nwant %v %d %s %s", have.Allowed, have.Code, have.Reason, have.Message,
			expected.Allowed, expected.Code, expected.Reason, expected.Message)
	}
	var wanted []string
	for _, v := range want.Evaluated {
		text := fmt.Sprintf("%s skipped=%v", v.Policy, v.Skipped)
		for _, d := range v.Validations {
			text += fmt.Sprintf("\n  %s %s %s %s", d.Action, d.Outcome, d.Reason, d.Message)
		}
		wanted = append(wanted, text)
	}
	slices.Sort(wanted)
	if slices.Sort(outcomes); !slices.Equal(outcomes, wanted) {
		return "\nhave " + strings.Join(outcomes, "\n") + "\nwant " + strings.Join(wanted, "\n")
	}
	return ""
}

var outcomeNames = map[evaluate.Outcome]string{
	evaluate.Admit: "admit", evaluate.Denied: "deny", evaluate.Failed: "error", evaluate.Unknown: "unknown",
}

// summarize returns the answer to a request: that of the first decision that rejects it. outcomes has a text for each evaluation.
func summarize(r evaluate.Result) (answer recorded, outcomes []string) {
	answer.Allowed = true
	for _, v := range r.Evaluations {
		text := fmt.Sprintf("%s skipped=%v", v.Policy.Name, v.IsSkipped)
		for _, d := range v.Decisions {
			if d.Validation >= 0 || d.Expression == nil && !d.Always {
				action := "admit"
				if d.Denies {
					action = "deny"
				}
				text += fmt.Sprintf("\n  %s %s %s %s", action, outcomeNames[d.Outcome], d.Reason, d.Message)
			}
			if !answer.Allowed || !d.Denies || v.Binding.Actions&policy.Deny == 0 && !d.Always {
				continue
			}
			answer.Allowed, answer.Reason, answer.Message = false, d.Reason, fmt.Sprintf(
				"ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", v.Policy.Name, v.Binding.Name, d.Message)
			if answer.Reason == "" {
				answer.Reason = "Invalid"
			}
			answer.Code = map[string]int{"Forbidden": 403, "RequestEntityTooLarge": 413, "Invalid": 422}[answer.Reason]
		}
		if len(v.Decisions) != 1 || v.Decisions[0].Expression != nil || !v.Decisions[0].Always {
			outcomes = append(outcomes, text)
		}
	}
	return answer, outcomes
}
