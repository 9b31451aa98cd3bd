package parity

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/lint/rule"
)

// For every recorded pod, the rules of the level find exactly what upstream's checks forbid.
func TestPodSecurityIsThatOfUpstreamsCode(t *testing.T) {
	pods, err := ReadPods(filepath.Join(root, "internal", "oracle", "podsecurity", "testdata", "pods.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	forbidden, invalid := 0, 0
	for _, p := range pods {
		differences, isValid := PodDifferences(p)
		if len(differences) > 0 {
			t.Errorf("%s 1.%d: %v\n%s", p.Level, p.Minor, differences, p.Text)
		}
		if len(p.Forbids) > 0 {
			forbidden++
		}
		if !isValid {
			invalid++
		}
	}
	if len(pods) < 1000 || forbidden < len(pods)/4 || invalid > len(pods)/4 {
		t.Errorf("%d pods, %d of them forbidden, %d not valid", len(pods), forbidden, invalid)
	}
}

// Each rule of the standards belongs to a check of upstream.
func TestEveryRuleOfTheStandardsBelongsToACheck(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "pod-security.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range podRules {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/pod-security.md does not name the check %s", name)
		}
	}
	known := 0
	for _, r := range rule.All(nil) {
		isKnown := false
		for _, of := range podRules {
			isKnown = isKnown || slices.Contains(of, r.ID)
		}
		if isKnown != r.IsCalled("pod-security-restricted") || r.IsCalled("pod-security-baseline") && !isKnown {
			t.Errorf("%s: of a check: %v, tags %v", r.ID, isKnown, r.Tags)
		}
		if isKnown {
			known++
			if !strings.Contains(string(page),
				"(../rules/families/pod-security.md#"+strings.ReplaceAll(string(r.ID), "/", "")+")") {
				t.Errorf("docs/pod-security.md does not link to %s", r.ID)
			}
			if !r.InProfile("security") || r.InProfile("recommended") {
				t.Errorf("%s must be in the profile security, and not in recommended", r.ID)
			}
		}
	}
	if known < 20 {
		t.Errorf("%d rules", known)
	}
}

func TestPodDifferencesAreOfBothSides(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostPID: true\n  containers: [{name: a, image: a}]\n"
	for _, c := range []struct {
		name, text string
		forbids    []string
		want       int
		isValid    bool
	}{
		{"same", pod, []string{"hostNamespaces"}, 0, true},
		{"only upstream", pod, []string{"hostNamespaces", "hostPorts"}, 1, true},
		{"only we", pod, nil, 1, true},
		{"not valid", pod + "  unknown: 1\n", nil, 0, false},
	} {
		have, isValid := PodDifferences(Pod{Level: "baseline", Minor: 36, Text: c.text, Forbids: c.forbids})
		if len(have) != c.want || isValid != c.isValid {
			t.Errorf("%s: have %q, %v", c.name, have, isValid)
		}
	}
}
