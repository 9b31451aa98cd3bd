package sets

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// kept is what is kept of a text: its records, its candidates, and the details of these.
type kept struct {
	records    Records
	candidates Candidates
	details    []Detail
}

// collectAll returns the records of a text and the details of candidates in it.
func collectAll(t *testing.T, s *Rules, name, text string, candidates Candidates, onlyDetails bool) (Records, []Detail) {
	t.Helper()
	src := &source.Source{Name: name, Text: text}
	var in Records
	var details []Detail
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		if violations := tree.Read(src, part); len(violations) > 0 {
			t.Fatal(violations[0].Message)
		}
		d := newDocument(tree.Root())
		d.Candidates, d.OnlyDetails = candidates, onlyDetails
		d.Object = diag.Object{Kind: d.Kind, Name: tree.Root().At("metadata").TextAt("name")}
		details = append(details, collect(s, d, &in)...)
	}
	return in, details
}

// checkAll reads all texts twice.
func checkAll(t *testing.T, s *Rules, names []string, texts map[string]string) string {
	t.Helper()
	var records []*Records
	for _, name := range names {
		in, _ := collectAll(t, s, name, texts[name], nil, false)
		records = append(records, &in)
	}
	candidates := FindCandidates(records)
	var details []Detail
	for _, name := range names {
		_, more := collectAll(t, s, name, texts[name], candidates, true)
		details = append(details, more...)
	}
	return fmt.Sprintf("%+v", Gather(t.Context(), details).Violations)
}

// After a change of one text, only the texts whose candidates change are read again, and the changed text is read once
// if its candidates stay the same.
func TestRecordsAndDetailsAreKeptForEachText(t *testing.T) {
	var own []*rule.Rule
	for i, text := range []string{volumeRule, selectingRule, nameRule} {
		r, violations := rule.Parse(&source.Source{Name: fmt.Sprint(i), Text: text})
		if len(violations) > 0 {
			t.Fatal(violations[0].Message)
		}
		own = append(own, r)
	}
	list, err := rule.Select(rule.Options{Own: own})
	if err != nil {
		t.Fatal(err)
	}
	rules := New(list, false, false)
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return []string{"orders", "order", "carts", "cart", "users"}[random.IntN(5)] }
	draw := func() string {
		var b strings.Builder
		for range random.IntN(4) {
			switch random.IntN(4) {
			case 0:
				b.WriteString(object("Job", "n", word(), "uses: "+word()+"\nspec: {a: "+word()+"}"))
			case 1:
				b.WriteString(object("Volume", "n", word(), ""))
			case 2:
				b.WriteString(object("Front", "n", word(), "spec: {app: "+word()+", tier: "+word()+"}"))
			default:
				b.WriteString(object("Back", "n", word(), "labels: {app: "+word()+", tier: "+word()+"}"))
			}
		}
		return b.String()
	}
	names, texts, files := []string{}, map[string]string{}, map[string]*kept{}
	for i := range 12 {
		name := fmt.Sprintf("%d/%d.yaml", i%3, i)
		names, texts[name] = append(names, name), ""
		files[name] = &kept{}
	}
	var known Candidates
	again, withGuess, findings := 0, 0, 0
	const changes = 500
	for range changes {
		changed := names[random.IntN(len(names))]
		texts[changed] = draw()
		f := files[changed]
		f.records, f.details = collectAll(t, rules, changed, texts[changed], known, false)
		f.candidates = known.Of(&f.records)
		var records []*Records
		for _, name := range names {
			records = append(records, &files[name].records)
		}
		known = FindCandidates(records)
		var details []Detail
		for _, name := range names {
			f := files[name]
			if now := known.Of(&f.records); !now.Equal(f.candidates) {
				again++
				_, f.details = collectAll(t, rules, name, texts[name], now, true)
				f.candidates = now
			} else if name == changed && len(now) > 0 {
				withGuess++
			}
			details = append(details, f.details...)
		}
		have, want := fmt.Sprintf("%+v", Gather(t.Context(), details).Violations), checkAll(t, rules, names, texts)
		if have != want {
			t.Fatalf("after a change of %s:\nhave %s\nwant %s", changed, have, want)
		}
		findings += strings.Count(want, "Rule:")
	}
	t.Logf("%d changes of %d texts: %d texts were read again, %d had their details at once, %d findings", changes,
		len(names), again, withGuess, findings)
	if again > changes*len(names)/2 || withGuess == 0 || findings < changes {
		t.Error("too many texts were read again, or too few findings were compared")
	}
}

// Finding candidates does not change the records that are kept.
func TestRecordsDoNotChange(t *testing.T) {
	rules := setOf(t, volumeRule)
	first, _ := collectAll(t, rules, "f", object("Job", "n", "j", "uses: order"), nil, false)
	before := fmt.Sprintf("%+v", first)
	volume, _ := collectAll(t, rules, "g", object("Volume", "n", "orders", ""), nil, false)
	if found := FindCandidates([]*Records{&first, &volume}); len(found) != 2 {
		t.Errorf("have %d candidates, want 2", len(found))
	}
	if after := fmt.Sprintf("%+v", first); after != before {
		t.Errorf("records were\n%s, then\n%s", before, after)
	}
}
