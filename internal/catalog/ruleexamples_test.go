package catalog

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/native"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/rules"
)

// Each rule in an overlay has examples in testdata/kubernetes/TYPE.yaml: values of the type that it accepts and
// rejects. They show a reader what the rule means.
func TestRulesOfKubernetesHaveExamples(t *testing.T) {
	overlays, err := fs.Glob(rules.Kinds, kubernetesDir+"overlay/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range overlays {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		declared := map[string]manifest.Node{}
		over, _ := overlay(name)
		rulesIn(over, declared)
		examples := examplesOf(t, name)
		for message, rule := range declared {
			if len(examples[message]) == 0 {
				t.Errorf("testdata/kubernetes/%s.yaml: no example of the rule with the message %q", name, message)
			}
			for _, example := range examples[message] {
				checkExample(t, name, rule, example)
			}
		}
		for message := range examples {
			if !declared[message].Valid() {
				t.Errorf("testdata/kubernetes/%s.yaml: no rule has the message %q", name, message)
			}
		}
	}
}

// rulesIn adds the rules in a part of an overlay, by message.
func rulesIn(n manifest.Node, all map[string]manifest.Node) {
	for f := range n.Children() {
		if f.Key() == "x-kubernetes-validations" || f.Key() == "x-kindvet-each" {
			for rule := range f.Children() {
				all[rule.TextAt("message")] = rule
			}
		} else if f.Type() == manifest.Map {
			rulesIn(f, all)
		}
	}
}

// examplesOf reads the examples of the rules of a type, by message. "(x 1000 times)" stands for a text of that length.
func examplesOf(t *testing.T, name string) map[string][]manifest.Node {
	file := filepath.Join("..", "..", "testdata", "kubernetes", name+".yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	all := map[string][]manifest.Node{}
	repeated := regexp.MustCompile(`\(x (\d+) times\)`).ReplaceAllStringFunc(string(text), func(words string) string {
		times, _ := strconv.Atoi(strings.Fields(words)[1])
		return strings.Repeat("x", times)
	})
	src := &source.Source{Name: file, Text: repeated}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if vs := tree.Read(src, part); len(vs) > 0 {
			t.Errorf("%s: %v", file, vs)
			continue
		}
		for example := range tree.Root().Children() {
			message := example.TextAt("message")
			all[message] = append(all[message], example)
		}
	}
	return all
}

// exampleTypes returns the types of a version of Kubernetes, which all examples share.
func exampleTypes(minor int) *kubernetesTypes {
	if typesOfExamples[minor] == nil {
		typesOfExamples[minor] = newKubernetesTypes(Server{Minor: minor})
	}
	return typesOfExamples[minor]
}

var typesOfExamples = map[int]*kubernetesTypes{}

// checkExample evaluates a rule on the values of an example.
func checkExample(t *testing.T, name string, rule, example manifest.Node) {
	at := example.Place().Start()
	if !example.At("accepts").Valid() || !example.At("rejects").Valid() {
		t.Errorf("testdata/kubernetes/%s.yaml:%d: an example needs accepts and rejects", name, at.Line)
		return
	}
	pattern := regexp.QuoteMeta(rule.TextAt("message"))
	for _, placeholder := range []string{"{key}", "{self}"} {
		pattern = strings.ReplaceAll(pattern, regexp.QuoteMeta(placeholder), ".*")
	}
	message := regexp.MustCompile("^" + pattern + "$")
	minor := NewestKubernetes
	if until := rule.TextAt("until"); until != "" {
		minor = minorIn(until)
	}
	types := exampleTypes(minor)
	on, off := rule.TextAt("onGate"), rule.TextAt("offGate")
	if gate := cmp.Or(on, off); gate != "" {
		types = newKubernetesTypes(Server{Minor: minor}.With(map[string]bool{gate: on != ""}, nil))
	}
	s, vs := types.compiler.CompileNamed(name)
	if len(vs) > 0 {
		t.Fatal(vs)
	}
	for _, verdict := range []string{"accepts", "rejects"} {
		value, old := example.At(verdict), example.At("old")
		resource := schema.Resource{Native: true, NoMetadata: true}
		if old.Valid() {
			native.Prepare(old, s, resource)
		}
		native.Check(value, s, resource, old)
		found := false
		var others []diag.Violation
		for _, v := range types.rules.NewRules(s).Check(nil, value, old).Violations {
			found = found || message.MatchString(v.Message)
			others = append(others, v)
		}
		if found != (verdict == "rejects") {
			t.Errorf("testdata/kubernetes/%s.yaml:%d: the rule %q %s the value wrongly; violations: %v", name, at.Line,
				rule.TextAt("message"), map[bool]string{true: "rejects", false: "accepts"}[found], others)
		}
	}
}
