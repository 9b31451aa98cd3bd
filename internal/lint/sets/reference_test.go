package sets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// files holds texts by the names of their files.
type files map[string]string

// inSet returns the violations of rules about sets of documents, as "place: message (related place)". records are
// those of other files.
func inSet(t *testing.T, s *Rules, names []string, texts files, records ...*Records) (list []string) {
	t.Helper()
	pass := func(candidates Candidates) (details []Detail) {
		for _, name := range names {
			src := &source.Source{Name: name, Text: texts[name]}
			var in Records
			for part := range manifest.Parts(src) {
				tree := &manifest.Tree{}
				if violations := tree.Read(src, part); len(violations) > 0 {
					t.Fatal(violations[0].Message)
				}
				d := newDocument(tree.Root())
				d.Candidates, d.OnlyDetails = candidates, candidates != nil
				d.Object = diag.Object{Kind: d.Kind, Name: tree.Root().At("metadata").TextAt("name")}
				details = append(details, collect(s, d, &in)...)
			}
			if candidates == nil {
				records = append(records, &in)
			}
		}
		return details
	}
	pass(nil)
	candidates := FindCandidates(records)
	if len(candidates) == 0 {
		return nil
	}
	for _, v := range Gather(t.Context(), pass(candidates)).Violations {
		text := fmt.Sprintf("%s:%d %s: %s", v.Place.File, v.Place.Start().Line, v.Severity, v.Message)
		for _, r := range v.Related {
			text += fmt.Sprintf(" (%s:%d %s)", r.Place.File, r.Place.Start().Line, r.Message)
		}
		list = append(list, text)
	}
	return list
}

const volumeRule = `id: own/volume
title: no such volume
severity: warning
kinds: [Job]
each: uses
key: [namespace, self]
why: w
target:
  kinds: [Volume]
  key: [namespace, name]
`

func object(kind, namespace, name, rest string) string {
	meta := "name: " + name
	if namespace != "" {
		meta += ", namespace: " + namespace
	}
	return "---\napiVersion: v1\nkind: " + kind + "\nmetadata: {" + meta + "}\n" + rest + "\n"
}

func TestAReferenceWithoutTargetIsAFindingIfANearTargetIsSimilar(t *testing.T) {
	job := func(namespace, uses string) string { return object("Job", namespace, "j", "uses: "+uses) }
	volume := func(namespace, name string) string { return object("Volume", namespace, name, "") }
	const found = ": Volume \"orders\" not found; did you mean \"order\"?"
	for name, c := range map[string]struct {
		texts files
		want  string
	}{
		"same directory": {
			files{"a/j": job("n", "orders"), "a/v": volume("n", "order")}, "a/j:5 warning" + found + " (a/v:4 Volume order)",
		},
		"above": {
			files{"a/b/j": job("n", "orders"), "a/v": volume("n", "order")},
			"a/b/j:5 warning" + found + " (a/v:4 Volume order)",
		},
		"below": {
			files{"a/j": job("n", "orders"), "a/b/v": volume("n", "order")},
			"a/j:5 warning" + found + " (a/b/v:4 Volume order)",
		},
		"next to it": {
			files{"a/b/j": job("n", "orders"), "a/c/v": volume("n", "order")},
			"a/b/j:5 warning" + found + " (a/c/v:4 Volume order)",
		},
		"far away": {files{"a/b/j": job("n", "orders"), "d/e/v": volume("n", "order")}, ""},
		"exists far away": {
			files{"a/j": job("n", "orders"), "a/v": volume("n", "order"), "d/e/v": volume("n", "orders")}, "",
		}, "other namespace": {files{"a/j": job("n", "orders"), "a/v": volume("m", "order")}, ""},
		"exists in another": {
			files{"a/j": job("n", "orders"), "a/v": volume("m", "orders") + volume("n", "order")},
			"a/j:5 warning" + found + " (a/v:9 Volume order)",
		},
		"without namespace": {
			files{"a/j": job("n", "orders"), "a/v": volume("", "order")}, "a/j:5 warning" + found + " (a/v:4 Volume order)",
		}, "exists without": {files{"a/j": job("n", "orders"), "a/v": volume("", "orders") + volume("n", "order")}, ""},
		"reference without": {
			files{"a/j": job("", "orders"), "a/v": volume("n", "order")}, "a/j:5 warning" + found + " (a/v:4 Volume order)",
		},
		"reference may mean it": {files{"a/j": job("", "orders"), "a/v": volume("n", "order") + volume("m", "orders")}, ""},
		"other digits":          {files{"a/j": job("n", "orders-1"), "a/v": volume("n", "orders-2")}, ""},
		"nothing similar":       {files{"a/j": job("n", "orders"), "a/v": volume("n", "carts")}, ""},
		"the closest": {
			files{"a/j": job("n", "orders"), "a/a": volume("n", "orderr"), "a/b/c": volume("n", "order") + job("n", "order")},
			"a/j:5 warning: Volume \"orders\" not found; did you mean \"orderr\"? (a/a:4 Volume orderr)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			have := strings.Join(inSet(t, setOf(t, volumeRule),
				[]string{"a/a", "a/b/c", "a/b/j", "a/b/v", "a/c/v", "a/j", "a/v", "d/e/v"}, c.texts), "\n")
			if have != c.want {
				t.Errorf("have %s\nwant %s", have, c.want)
			}
		})
	}
}

// What counts as the set of the files decides whether a reference to something unlike all targets is a mistake.
func TestAReferenceWithoutTargetIsAFindingAmongOtherTargets(t *testing.T) {
	job, volume := object("Job", "n", "j", "uses: orders"), object("Volume", "n", "carts", "")
	texts := files{"a/b/j": job, "a/b/v": volume}
	far := files{"a/b/j": job, "c/v": volume}
	for _, c := range []struct {
		among       string
		complete    bool
		profile     string
		texts       files
		wantWarning bool
		wantInfo    bool
	}{
		{"", false, "", texts, false, false},
		{"", false, "all", texts, false, true},
		{"", true, "", files{"a/b/j": job}, true, false},
		{"file", false, "", texts, false, false},
		{"file", false, "", files{"a/b/j": job + volume}, true, false},
		{"directory", false, "", texts, true, false},
		{"directory", false, "", far, false, false},
		{"run", false, "", far, true, false},
		{"run", false, "", files{"a/b/j": job, "c/v": object("Volume", "m", "carts", "")}, false, false},
	} {
		text := volumeRule
		if c.among != "" {
			text += "  among: " + c.among + "\n"
		}
		set := setOf(t, text)
		set.isComplete, set.isAll = c.complete, c.profile == "all"
		have := strings.Join(inSet(t, set, []string{"a/b/j", "a/b/v", "c/v"}, c.texts), "\n")
		if strings.Contains(have, "warning: Volume \"orders\" not found") != c.wantWarning ||
			strings.Contains(have, "info: ") != c.wantInfo {
			t.Errorf("%+v: have %q", c, have)
		}
	}
}

const selectingRule = `id: own/selecting
title: selects nothing
severity: warning
kinds: [Front]
key: [namespace]
selector: spec
why: w
target:
  kinds: [Back]
  labels: labels
  key: [namespace]
`

func TestASelectorSelectsByAllOfItsLabels(t *testing.T) {
	for _, c := range []struct{ selector, labels, want string }{
		{"{app: orders}", "{app: orders}", ""},
		{"{app: orders}", "{tier: a, app: orders}", ""},
		{"{matchLabels: {app: orders}}", "{app: orders}", ""},
		{"{app: order}", "{app: orders}", `did you mean "app=orders"?`},
		{"{apps: orders}", "{app: orders}", `did you mean "app=orders"?`},
		{"{matchLabels: {app: order, tier: a}}", "{app: orders, tier: a}", `did you mean "app=orders"?`},
		{"{app: order, tier: front}", "{app: orders, tier: fronts}", ""}, // two labels differ
		{"{app: order, tier: a}", "{app: orders}", ""},
		{"{app: carts}", "{app: orders}", ""},
		{"{app: orders-1}", "{app: orders-2}", ""},
		{"{}", "{app: orders}", ""},
		{"{matchLabels: {app: order}, matchExpressions: [{key: a, operator: Exists}]}", "{app: orders}", ""},
		{"{app: orders, statefulset.kubernetes.io/pod-name: orders-0}", "{app: orders}", ""},
	} {
		texts := files{"f": object("Front", "n", "f", "spec: "+c.selector) + object("Back", "n", "b", "labels: "+c.labels)}
		have := strings.Join(inSet(t, setOf(t, selectingRule), []string{"f"}, texts), "\n")
		if (have == "") != (c.want == "") || !strings.Contains(have, c.want) {
			t.Errorf("%s of %s: have %q, want %q", c.selector, c.labels, have, c.want)
		}
	}
}

// A selector is compared with all targets that have its rarest label, until the comparisons of the run are used up.
func TestASelectorIsNotComparedWithoutSteps(t *testing.T) {
	text := object("Front", "n", "f", "spec: {app: a}") + strings.Repeat(object("Back", "m", "b", "labels: {app: a}"), 10)
	set, src, in := setOf(t, selectingRule), &source.Source{Name: "f", Text: text}, Records{}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		collect(set, newDocument(tree.Root()), &in)
	}
	for _, c := range []struct {
		steps, left int
		isLost      bool
	}{{100, 90, true}, {11, 1, true}, {10, 0, false}, {3, 0, false}} {
		r := references{files: []*filed{newFiled(&in.links)}, defined: map[uint64]struct{}{}, labeled: map[uint64][]located{}, steps: c.steps}
		r.each(aTarget, r.addTarget)
		r.each(aReference, func(x located) {
			if s := r.find(&dangling{located: x, parsed: x.key()}); s.isLost != c.isLost || r.steps != c.left {
				t.Errorf("%d steps: lost is %v and %d are left, want %v and %d", c.steps, s.isLost, r.steps, c.isLost, c.left)
			}
		})
	}
}

// Values of selected objects are looked up in all objects that a selector selects.
func TestAValueIsLookedUpInSelectedObjects(t *testing.T) {
	text := strings.Replace(selectingRule, "key: [namespace]\nselector",
		"each: port\nkey: [namespace, self]\nselector", 1)
	text = strings.Replace(text, "  key: [namespace]\n",
		"  each: \"ports[]\"\n  key: [namespace, self]\n  among: file\n", 1)
	front := object("Front", "n", "f", "spec: {app: a}\nport: http")
	back := func(namespace, rest string) string { return object("Back", namespace, "b", rest) }
	for _, c := range []struct{ text, want string }{
		{front, ""},
		{front + back("n", "labels: {app: a}"), ""}, // ports that are not declared are not known
		{front + back("n", "labels: {app: a}\nports: [metrics]"), "selects nothing"},
		{front + back("n", "labels: {app: a}\nports: [htpp]"), `did you mean "htpp"?`},
		{front + back("n", "labels: {app: a}\nports: [metrics, http]"), ""},
		{front + back("n", "labels: {app: a}\nports: [metrics]") + back("n", "labels: {app: a}\nports: [http]"), ""},
		{front + back("n", "labels: {app: b}\nports: [metrics]"), ""},
		{front + back("m", "labels: {app: a}\nports: [metrics]"), ""},
		{front + back("", "labels: {app: a}\nports: [metrics]"), "selects nothing"},
	} {
		have := strings.Join(inSet(t, setOf(t, text+"message: selects nothing\n"), []string{"f"}, files{"f": c.text}), "\n")
		if (have == "") != (c.want == "") || !strings.Contains(have, c.want) {
			t.Errorf("%s: have %q, want %q", c.text, have, c.want)
		}
	}
}

func TestWhatSomethingElseProvidesIsNeverMissing(t *testing.T) {
	list, err := rule.Select(rule.Options{Enable: []string{"reference"}})
	if err != nil {
		t.Fatal(err)
	}
	s := New(list, true, false)
	pod := func(spec string) string {
		return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\nspec: " + spec + "\n"
	}
	for _, c := range []struct{ text, want string }{
		{pod("{serviceAccountName: default}"), ""},
		{pod("{serviceAccountName: defaults}"), "ServiceAccount \"defaults\" not found"},
		{pod("{priorityClassName: system-node-critical}"), ""},
		{pod("{volumes: [{configMap: {name: kube-root-ca.crt}}]}"), ""},
		{pod("{volumes: [{secret: {secretName: tls}}]}"), "Secret \"tls\" not found"},
		{pod("{volumes: [{secret: {secretName: tls, optional: true}}]}"), ""},
		{
			pod("{volumes: [{secret: {secretName: tls}}]}") +
				"---\napiVersion: cert-manager.io/v1\nkind: Certificate\nspec: {secretName: tls}\n", "",
		},
		{
			pod("{volumes: [{secret: {secretName: tls}}]}") +
				"---\nkind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\nsecretGenerator: [{name: tls}]\n", "",
		},
		{pod("{volumes: [{configMap: {name: tls}}]}") +
			"---\nkind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\nsecretGenerator: [{name: tls}]\n",
			"ConfigMap \"tls\" not found"},
	} {
		have := strings.Join(inSet(t, s, []string{"f"}, files{"f": c.text}), "\n")
		if (have == "") != (c.want == "") || !strings.Contains(have, c.want) {
			t.Errorf("%s: have %q, want %q", c.text, have, c.want)
		}
	}
}

// References that are skipped because others took all steps are not findings.
func TestManyReferencesAreComparedWithABoundedNumberOfTargets(t *testing.T) {
	for count, isBounded := range map[int]bool{500: false, 3000: true} {
		all, names := files{}, []string{}
		for i := range count {
			name := fmt.Sprintf("f%04d", i)
			all[name] = object("Job", "n", "j", "uses: ordre") + object("Volume", "n", "order", "")
			names = append(names, name)
		}
		have := len(inSet(t, setOf(t, volumeRule), names, all))
		if have == count == isBounded {
			t.Errorf("%d references: %d findings", count, have)
		}
	}
}

// Two objects that leave a field to the server do not conflict.
func TestAReferenceThatTheServerSetsConflictsWithNothing(t *testing.T) {
	rules := setOf(t, strings.Replace(volumeRule, "key: [namespace, name]", "key: [namespace, name]\n  conflicts: true", 1))
	written := readRoot(t, object("Job", "x", "j", "uses: data"))
	references := func(n manifest.Node) int {
		var records Records
		collect(rules, newDocument(n), &records)
		return len(records.links.list)
	}
	if have := references(written); have != 1 {
		t.Errorf("a field that is written: have %d references, want 1", have)
	}
	left := readRoot(t, object("Job", "x", "j", ""))
	left.AddDefault("uses", written.At("uses"))
	if have := references(left); have != 0 {
		t.Errorf("a field that the server sets: have %d references, want none", have)
	}
}

// A rule with conflicts finds references that have a target, in the same directory and namespace.
func TestAReferenceConflictsWithItsTarget(t *testing.T) {
	set := setOf(t, strings.Replace(volumeRule, "key: [namespace, name]", "key: [namespace, name]\n  conflicts: true", 1)+
		"message: taken\n")
	job := func(namespace string) string { return object("Job", namespace, "j", "uses: data") }
	volume := func(namespace, name string) string { return object("Volume", namespace, name, "") }
	for name, c := range map[string]struct {
		texts files
		want  string
	}{
		"same file": {
			files{"a/a.yaml": job("x") + volume("x", "data")}, "a/a.yaml:5 warning: taken (a/a.yaml:9 Volume data)",
		},
		"same directory": {
			files{"a/a.yaml": job(""), "a/b.yaml": volume("", "data")}, "a/a.yaml:5 warning: taken (a/b.yaml:4 Volume data)",
		}, "other directory": {files{"a/a.yaml": job(""), "b/b.yaml": volume("", "data")}, ""},
		"other namespace": {files{"a/a.yaml": job("x") + volume("y", "data")}, ""},
		"no namespace":    {files{"a/a.yaml": job("x") + volume("", "data")}, ""},
		"other name":      {files{"a/a.yaml": job("x") + volume("x", "date")}, ""},
	} {
		names := slices.Sorted(maps.Keys(c.texts))
		if have := strings.Join(inSet(t, set, names, c.texts), "\n"); have != c.want {
			t.Errorf("%s: have %q, want %q", name, have, c.want)
		}
	}
}

func TestAKeyWithTheDirectoryIsThatOfFilesInIt(t *testing.T) {
	set := setOf(t,
		"id: own/taken\ntitle: value taken twice\nseverity: warning\nkinds: [Job]\nkey: [directory, uses]\nwhy: w\n")
	text := object("Job", "", "j", "uses: data")
	have := inSet(t, set, []string{"a/a.yaml", "b/a.yaml", "b/b.yaml"},
		files{"a/a.yaml": text, "b/a.yaml": text, "b/b.yaml": text})
	if want := "b/b.yaml:4 warning: value taken twice (b/a.yaml:4 Job j)"; strings.Join(have, "\n") != want {
		t.Errorf("have %q, want %q", have, want)
	}
}
