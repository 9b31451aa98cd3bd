package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
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
	a := []Namespace{{Name: "a", Level: Restricted}, {Name: "b", Level: Baseline, Minor: 1}}
	b := []Namespace{
		{Name: "a", Level: Privileged}, {Name: "b", Level: Baseline, Minor: 2}, {Name: "c", Level: Restricted},
	}
	all := NewNamespaces(a, b)
	if len(all) != 3 || all["a"].Level != Privileged || all["b"].Minor != 1 || all["c"].Level != Restricted {
		t.Errorf("have %v", all)
	}
}

// What a namespace enforces decides which rules of the standards apply, with which version and severity.
func TestRulesOfTheStandardsFollowTheNamespace(t *testing.T) {
	const pod = "{metadata: {name: x}, spec: {hostNetwork: true, containers: [{name: x, image: x, livenessProbe: {httpGet: {host: a}}}]}}"
	const baseline, restricted = "host-namespace probe-host", "host-namespace root-not-forbidden probe-host"
	enforced := func(level Level, minor int) *Namespace { return &Namespace{Name: "a", Level: level, Minor: minor} }
	for _, c := range []struct {
		name     string
		options  Options
		enforced *Namespace
		want     string // some of the rules that find something
		severity diag.Severity
	}{
		{"recommended", Options{Profile: "recommended"}, nil, "", 0},
		{"recommended, privileged", Options{Profile: "recommended"}, enforced(Privileged, latest), "", 0},
		{"recommended, baseline", Options{Profile: "recommended"}, enforced(Baseline, latest), baseline, diag.Error},
		{"recommended, restricted", Options{Profile: "recommended"}, enforced(Restricted, latest), restricted, diag.Error},
		{
			"recommended, an old version", Options{Profile: "recommended"}, enforced(Baseline, 33), "host-namespace",
			diag.Error,
		},
		{
			"recommended, a version that Kubernetes does not have yet", Options{Profile: "recommended"}, enforced(Baseline, 99),
			baseline, diag.Error,
		},
		{"security", Options{Profile: "security"}, nil, restricted, diag.Warning},
		{"security, privileged", Options{Profile: "security"}, enforced(Privileged, latest), "", 0},
		{"security, baseline", Options{Profile: "security"}, enforced(Baseline, latest), baseline, diag.Error},
		{"schema", Options{Profile: "schema", Enable: []string{"object"}}, enforced(Restricted, latest), "", 0},
		{"a tag", Options{Profile: "schema", Enable: []string{"pod-security-baseline"}}, nil, baseline, diag.Warning},
		{
			"disabled", Options{Profile: "recommended", Disable: []string{"probe-host"}}, enforced(Baseline, latest),
			"host-namespace", diag.Error,
		},
		{
			"another severity", Options{Profile: "recommended", Severity: []Override{{"pod-security", diag.Info}}},
			enforced(Baseline, latest), baseline, diag.Info,
		},
	} {
		set, err := New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		result := set.Check(&Document{Root: readRoot(t, pod), Kind: "Pod", Enforced: c.enforced})
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
	set, err := New(Options{Profile: "recommended"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Rules() {
		if r.IsCalled("pod-security-restricted") {
			t.Errorf("%s is in the profile", r.ID)
		}
	}
	_, idle := set.Names(nil)
	found := false
	for _, id := range idle {
		found = found || id == "pod-security/host-namespace"
	}
	if _, ok := set.Rule("pod-security/host-namespace"); !found || !ok {
		t.Errorf("idle %v, described %v", found, ok)
	}
}
