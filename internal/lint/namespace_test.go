package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// namespaceText returns a Namespace with labels.
func namespaceText(name string, labels ...string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n  labels:\n    " +
		strings.Join(labels, "\n    ") + "\n"
}

func TestNamespacesAreFoundByTheirLabel(t *testing.T) {
	const enforce = "pod-security.kubernetes.io/enforce: "
	const version = "pod-security.kubernetes.io/enforce-version: "
	inList := "{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {" + enforce + "baseline}}}"
	for _, c := range []struct{ name, text, want string }{
		{"a level", namespaceText("a", enforce+"baseline"), "a baseline latest"},
		{"a version", namespaceText("a", version+"v1.30", enforce+"restricted"), "a restricted 30"},
		{"the oldest version", namespaceText("a", version+"v1.0", enforce+"privileged"), "a privileged 0"},
		{"the latest version", namespaceText("a", version+"latest", enforce+"privileged"), "a privileged latest"},
		{"no level", namespaceText("a", version+"v1.30"), ""},
		{"an unknown level", namespaceText("a", enforce+"restrictive"), ""},
		{"an empty level", namespaceText("a", enforce+`""`), ""},
		{"a version in another form", namespaceText("a", version+"v1.030", enforce+"restricted"), ""},
		{"other labels", namespaceText("a", "pod-security.kubernetes.io/warn: restricted"), ""},
		{"another kind", strings.Replace(namespaceText("a", enforce+"baseline"), "Namespace", "Pod", 1), ""},
		{"no labels", "kind: Namespace # " + enforce + "\n", ""},
		{
			"several documents", namespaceText("a", enforce+"baseline") + "---\na: 1\n---\n" +
				namespaceText("b", enforce+"restricted"), "a baseline latest, b restricted latest",
		},
		{
			"a List", "kind: List\nitems:\n- " + fmt.Sprintf(inList, "a") + "\n- " + fmt.Sprintf(inList, "b") +
				"\n- {kind: Pod}\n", "a baseline latest, b baseline latest",
		},
		{
			"a NamespaceList", "kind: NamespaceList\nitems:\n- {metadata: {name: a, labels: {" + enforce + "baseline}}}\n",
			"a baseline latest",
		},
		{"not YAML", "a: [" + enforce, ""},
		{"a scalar", enforce + "\n---\n" + enforce, ""},
	} {
		var have []string
		for _, n := range FindNamespaces(&source.Source{Name: "a.yaml", Text: c.text}) {
			minor := fmt.Sprint(n.Minor)
			if n.Minor == latest {
				minor = "latest"
			}
			have = append(have, n.Name+" "+n.Level.String()+" "+minor)
		}
		if strings.Join(have, ", ") != c.want {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
	}
}

func TestTheLabelOfANamespaceHasItsPlace(t *testing.T) {
	text := "a: 1\n---\n" + namespaceText("a", EnforceLabel+": baseline")
	label := FindNamespaces(&source.Source{Name: "a.yaml", Text: text})[0].Label
	if at := label.Start(); label.File != "a.yaml" || at.Line != 8 || at.Column != 41 {
		t.Errorf("have %s:%d:%d", label.File, at.Line, at.Column)
	}
}

func TestTheLeastStrictNamespaceCounts(t *testing.T) {
	a := []Namespace{{Name: "a", Level: rule.Restricted}, {Name: "b", Level: rule.Baseline, Minor: 1}}
	b := []Namespace{
		{Name: "a", Level: rule.Privileged}, {Name: "b", Level: rule.Baseline, Minor: 2}, {Name: "c", Level: rule.Restricted},
	}
	all := NewNamespaces(a, b)
	if len(all) != 3 || all["a"].Level != rule.Privileged || all["b"].Minor != 1 || all["c"].Level != rule.Restricted {
		t.Errorf("have %v", all)
	}
}

// What a namespace enforces decides which rules of the standards apply, with which version and severity.
func TestRulesOfTheStandardsFollowTheNamespace(t *testing.T) {
	const pod = "{metadata: {name: x}, spec: {hostNetwork: true, containers: [{name: x, image: x, livenessProbe: {httpGet: {host: a}}}]}}"
	const baseline, restricted = "host-namespace probe-host", "host-namespace root-not-forbidden probe-host"
	enforced := func(level rule.Level, minor int) *Namespace { return &Namespace{Name: "a", Level: level, Minor: minor} }
	for _, c := range []struct {
		name     string
		options  rule.Options
		enforced *Namespace
		want     string // some of the rules that find something
		severity diag.Severity
	}{
		{"recommended", rule.Options{Profile: "recommended"}, nil, "", 0},
		{"recommended, privileged", rule.Options{Profile: "recommended"}, enforced(rule.Privileged, latest), "", 0},
		{"recommended, baseline", rule.Options{Profile: "recommended"}, enforced(rule.Baseline, latest), baseline, diag.Error},
		{"recommended, restricted", rule.Options{Profile: "recommended"}, enforced(rule.Restricted, latest), restricted, diag.Error},
		{
			"recommended, an old version", rule.Options{Profile: "recommended"}, enforced(rule.Baseline, 33), "host-namespace",
			diag.Error,
		},
		{
			"recommended, a version that Kubernetes does not have yet", rule.Options{Profile: "recommended"}, enforced(rule.Baseline, 99),
			baseline, diag.Error,
		},
		{"security", rule.Options{Profile: "security"}, nil, restricted, diag.Warning},
		{"security, privileged", rule.Options{Profile: "security"}, enforced(rule.Privileged, latest), "", 0},
		{"security, baseline", rule.Options{Profile: "security"}, enforced(rule.Baseline, latest), baseline, diag.Error},
		{"schema", rule.Options{Profile: "schema", Enable: []string{"object"}}, enforced(rule.Restricted, latest), "", 0},
		{"a tag", rule.Options{Profile: "schema", Enable: []string{"pod-security-baseline"}}, nil, baseline, diag.Warning},
		{
			"disabled", rule.Options{Profile: "recommended", Disable: []string{"probe-host"}}, enforced(rule.Baseline, latest),
			"host-namespace", diag.Error,
		},
		{
			"another severity", rule.Options{Profile: "recommended", Severity: []rule.Override{{Name: "pod-security", Severity: diag.Info}}},
			enforced(rule.Baseline, latest), baseline, diag.Info,
		},
	} {
		set, err := New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		d := documentOf(readRoot(t, pod), "", "Pod")
		d.Enforced = c.enforced
		result := set.Check(d)
		var have []string
		for _, v := range result.Violations {
			family, name, _ := strings.Cut(string(v.Rule), "/")
			if family != "pod-security" {
				continue
			}
			if strings.Contains(restricted, name) {
				have = append(have, name)
			}
			if v.Severity != c.severity || (c.enforced != nil) != (len(v.Related) == 1) {
				t.Errorf("%s: %s has severity %v and %d related places", c.name, v.Rule, v.Severity, len(v.Related))
			}
		}
		if strings.Join(have, " ") != c.want {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
	}
}

// Rules that wait for a namespace are not in the profile: they are not listed, and a suppression of one is not unused.
func TestRulesThatWaitForANamespaceAreNotInTheSet(t *testing.T) {
	set, err := New(rule.Options{Profile: "recommended"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Rules().Applied() {
		if r.IsCalled("pod-security-restricted") {
			t.Errorf("%s is in the profile", r.ID)
		}
	}
	_, idle := set.Rules().Names(nil)
	found := false
	for _, id := range idle {
		found = found || id == "pod-security/host-namespace"
	}
	if _, ok := set.Rules().Rule("pod-security/host-namespace"); !found || !ok {
		t.Errorf("idle %v, described %v", found, ok)
	}
}
