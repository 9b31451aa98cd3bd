package sets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// What is not in the files may still create a target: a chart or an operator next to a reference, above or below it.
func TestATargetMayComeFromElsewhere(t *testing.T) {
	set := setOf(t, strings.Replace(volumeRule, "key: [namespace, name]\n", "key: [namespace, name]\n  among: run\n", 1))
	texts := files{"a/b/j": object("Job", "n", "j", "uses: orders") + object("Volume", "n", "carts", "")}
	for chart, isWarning := range map[string]bool{
		"": true, "a/b/chart": false, "a/chart": false, "a/b/c/chart": false, "a/c/chart": false, "b/chart": true, "b/c/chart": true, "a/b/c/d/chart": true,
	} {
		var records []*Records
		if chart != "" {
			r := Provided(chart, AnyKind, "")
			records = append(records, &r)
		}
		have := strings.Join(inSet(t, set, []string{"a/b/j"}, texts, records...), "\n")
		if strings.Contains(have, " warning: ") != isWarning {
			t.Errorf("%s: have %q, want a warning: %v", chart, have, isWarning)
		}
	}
}

const nameRule = `id: own/name
title: same name
severity: warning
kinds: [Job]
key: [metadata.name]
keep: [spec.a, spec.b]
check: objects.all(o, o.spec.a == objects[0].spec.a && o.spec.b == objects[0].spec.b)
why: w
`

// Documents with the same key are a group. Each group has a finding at its second document, if the check is false.
func TestEachGroupOfDocumentsHasItsFinding(t *testing.T) {
	job := func(name, a, b string) string { return object("Job", "", name, "spec: {a: "+a+", b: "+b+"}") }
	for name, c := range map[string]struct{ text, want string }{
		"one document":          {job("x", "1", "1"), ""},
		"the same":              {job("x", "1", "1") + job("x", "1", "1"), ""},
		"different":             {job("x", "1", "1") + job("x", "2", "1"), "f:9 warning: same name (f:4 Job x)"},
		"different in another":  {job("x", "1", "1") + job("x", "1", "2"), "f:9 warning: same name (f:4 Job x)"},
		"different keys":        {job("x", "1", "1") + job("w", "2", "2"), ""},
		"the third":             {job("x", "1", "1") + job("x", "1", "1") + job("x", "1", "3"), "f:9 warning: same name (f:4 Job x) (f:14 Job x)"},
		"two groups":            {job("x", "1", "1") + job("w", "1", "1") + job("w", "2", "1") + job("x", "2", "1"), "f:14 warning: same name (f:9 Job w)\nf:19 warning: same name (f:4 Job x)"},
		"only the second group": {job("x", "1", "1") + job("w", "1", "1") + job("w", "2", "1") + job("x", "1", "1"), "f:14 warning: same name (f:9 Job w)"},
	} {
		have := strings.Join(inSet(t, setOf(t, nameRule), []string{"f"}, files{"f": c.text}), "\n")
		if have != c.want {
			t.Errorf("%s: have %s\nwant %s", name, have, c.want)
		}
	}
}

// In the second pass, only documents of groups, references without a target and their nearest targets are read again.
func TestDocumentsOfFindingsAreReadAgain(t *testing.T) {
	text := object("Job", "n", "a", "uses: orders") + object("Job", "n", "b", "uses: carts") + object("Volume", "n", "order", "") +
		object("Volume", "n", "carts", "") + object("Job", "n", "c", "uses: [orders]")
	src, in := &source.Source{Name: "f", Text: text}, &Records{}
	set, starts := setOf(t, volumeRule), []int{}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		tree.Read(src, part)
		d := newDocument(tree.Root())
		d.Spot = Spot{part.Span.Start, part.Span.End, -1}
		starts = append(starts, part.Span.Start)
		collect(set, d, in)
	}
	var have []int
	for _, at := range FindCandidates([]*Records{in}).Spots(in) {
		for i, start := range starts {
			if start == at.Start {
				have = append(have, i)
			}
		}
	}
	if fmt.Sprint(have) != "[0 2]" {
		t.Errorf("the documents %v of %d are read again", have, len(starts))
	}
}

// A rule does not report what its exclude patterns name, nor a conflict with a value that the server fills in.
func TestReferencesOfExcludedFilesAreNotReported(t *testing.T) {
	texts := files{"a/j": object("Job", "n", "j", "uses: orders"), "a/v": object("Volume", "n", "order", "")}
	for exclude, want := range map[string]int{"": 1, "exclude: [j]\n": 0, "exclude: [a/]\n": 0, "exclude: [b/]\n": 1} {
		if have := len(inSet(t, setOf(t, volumeRule+exclude), []string{"a/j", "a/v"}, texts)); have != want {
			t.Errorf("%q: %d findings, want %d", exclude, have, want)
		}
	}
}
