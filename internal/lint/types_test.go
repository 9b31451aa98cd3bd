package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
)

// A rule about a type checks the values of this type wherever a kind has them.
func TestRulesAboutTypesCheckEveryKindThatHasTheType(t *testing.T) {
	const pod = "{metadata: {labels: {a: b}}, spec: {containers: [{name: x}, {name: y}], initContainers: [{name: z}]}}"
	documents := map[rule.Kind]string{
		kindOf("", "Pod"):             pod,
		kindOf("", "PodTemplate"):     "template: " + pod,
		kindOf("apps", "Deployment"):  "spec: {template: " + pod + "}",
		kindOf("batch", "CronJob"):    "spec: {jobTemplate: {spec: {template: " + pod + "}}}",
		kindOf("other", "Deployment"): "spec: {template: " + pod + "}",
		kindOf("", "Service"):         "spec: {template: " + pod + "}",
	}
	containers := "spec.containers[0].name spec.containers[1].name spec.initContainers[0].name"
	for _, c := range []struct {
		rule  string
		kinds []rule.Kind
		want  string
	}{
		{
			"type: Container\neach: name\n",
			[]rule.Kind{kindOf("", "Pod"), kindOf("", "PodTemplate"), kindOf("apps", "Deployment"), kindOf("batch", "CronJob")}, containers,
		},
		{"type: Container\neach: name\n", []rule.Kind{kindOf("other", "Deployment"), kindOf("", "Service")}, ""},
		{"type: Container\nkinds: ['*.apps']\neach: name\n", []rule.Kind{kindOf("apps", "Deployment")}, containers},
		{"type: Container\nkinds: ['*', '!Pod']\neach: name\n", []rule.Kind{kindOf("", "Pod")}, ""},
		{"type: PodSpec\nlacks: hostNetwork\n", []rule.Kind{kindOf("", "Pod"), kindOf("apps", "Deployment"), kindOf("batch", "CronJob")}, "spec"},
		{
			"type: PodTemplateSpec\neach: metadata.labels.a\n", []rule.Kind{kindOf("", "PodTemplate"), kindOf("apps", "Deployment")},
			"metadata.labels.a",
		},
	} {
		set := setOf(t, strings.Replace(ownRule, "kinds: ['*']\n", "", 1)+c.rule)
		for _, k := range c.kinds {
			var have []string
			for _, v := range set.Check(documentOf(readRoot(t, documents[k]), k.Group, k.Name)).Violations {
				have = append(have, v.Path.String())
			}
			if !endAs(have, strings.Fields(c.want)) {
				t.Errorf("%s of %v: have %v, want %v", c.rule, k, have, c.want)
			}
		}
	}
}

// A rule can read the pod template around a value, and the version of Kubernetes.
func TestRulesSeeThePodAndTheVersion(t *testing.T) {
	const pod = "{metadata: {labels: {a: b}}, spec: {hostUsers: false, containers: [{name: x}]}}"
	for _, c := range []struct {
		check string
		k     rule.Kind
		text  string
		minor int
		want  string // "" for no finding, otherwise the end of its path
	}{
		{"pod.spec.hostUsers", kindOf("", "Pod"), pod, 34, "spec.containers[0].name"},
		{"!pod.spec.hostUsers", kindOf("", "Pod"), pod, 34, ""},
		{
			"pod.metadata.labels.a == 'b'", kindOf("batch", "CronJob"),
			"spec: {jobTemplate: {spec: {template: " + pod + "}}}", 34, "",
		},
		{"kubernetesMinor < 34", kindOf("", "Pod"), pod, 34, "spec.containers[0].name"},
		{"kubernetesMinor < 34", kindOf("", "Pod"), pod, 33, ""},
		{"kubernetesMinor < 36", kindOf("", "Pod"), pod, 0, "spec.containers[0].name"},
	} {
		set := setOf(t, strings.Replace(ownRule, "kinds: ['*']\n", "", 1)+"type: Container\neach: name\ncheck: '"+
			strings.ReplaceAll(c.check, "'", "''")+"'\n")
		d := documentOf(readRoot(t, c.text), c.k.Group, c.k.Name)
		d.Kubernetes = c.minor
		result := set.Check(d)
		var have []string
		for _, v := range result.Violations {
			have = append(have, v.Path.String())
		}
		if !endAs(have, strings.Fields(c.want)) || len(result.NotEvaluated) > 0 {
			t.Errorf("%s: have %v, %v, want %q", c.check, have, result.NotEvaluated, c.want)
		}
	}
}

// A kind without pods has no variable pod.
func TestPodHasNoValueWithoutAPodTemplate(t *testing.T) {
	set := setOf(t, ownRule+"each: spec.a\ncheck: pod.spec.hostUsers\n")
	result := set.Check(documentOf(readRoot(t, "{spec: {a: 1}}"), "", "Service"))
	if len(result.Violations) > 0 || len(result.NotEvaluated) != 1 {
		t.Errorf("have %v, %v", result.Violations, result.NotEvaluated)
	}
}

// endAs reports whether each path ends with the suffix of the same index.
func endAs(paths, suffixes []string) bool {
	return slices.EqualFunc(paths, suffixes, strings.HasSuffix)
}

func kindOf(group, name string) rule.Kind { return rule.Kind{Group: group, Name: name} }
