package fix

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/test/parity"
	"github.com/kindvet/kindvet/internal/test/planted"
	"github.com/kindvet/kindvet/internal/workspace"
)

var (
	plantedCount = flag.Int("planted", 1500, "how many faults to plant")
	plantedSeed  = flag.Uint64("planted-seed", 1, "where to start drawing")
)

// objects returns the objects that the recorded verdicts say an API server creates.
func objects(t *testing.T) (good []map[string]any) {
	t.Helper()
	var list []map[string]any
	root := filepath.Join("..", "oracle")
	files, err := filepath.Glob(filepath.Join(root, "testdata", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal("no records", err)
	}
	isKnown := map[string]bool{}
	for _, file := range append(files, filepath.Join(root, "builtin", "testdata", "cases.jsonl.gz")) {
		cases, err := parity.ReadCases(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if !c.Verdict.Accepted || c.Old != "" || c.JSON || isKnown[c.New] || strings.HasPrefix(c.Schema, "internal/") {
				continue
			}
			isKnown[c.New] = true
			if object, ok := planted.Object(c.New); ok {
				list = append(list, object)
			}
		}
	}
	texts := map[string]string{}
	for i, object := range list {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		texts[plantedName(i, "a.json")] = string(text)
	}
	clean := withoutFindings(t, texts)
	for i, object := range list {
		if clean[plantedName(i, "a.json")] {
			good = append(good, object)
		}
	}
	t.Logf("%d objects, %d without a finding", len(list), len(good))
	return good
}

// plantedOptions returns options of a run of texts, which are written to a directory. Rules about several documents are off:
// the texts have the same names.
func plantedOptions(t *testing.T, texts map[string]string, isUnsafe bool, jobs int) Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		writeFile(t, filepath.Join(dir, name), text)
	}
	var o Options
	o.Unsafe = isUnsafe
	o.Check.Files.Base, o.Check.Files.Paths, o.Check.Files.NoConfig = find.OnDisk(dir), []string{"."}, true
	o.Check.Jobs, o.Check.NoDiscovery = jobs, true
	o.Check.Settings.Lint = rule.Options{Profile: "recommended", Disable: []string{"set"}}
	return o
}

// plantedName returns the name of one of many texts. Few of them are in the same directory.
func plantedName(i int, name string) string { return fmt.Sprintf("%d/%d-%s", i/16, i, name) }

// byFile returns the findings of each file, as the report says them, without places.
func byFile(r *workspace.Result) map[string][]string {
	found := map[string][]string{}
	for i := range r.Report.Violations {
		v := &r.Report.Violations[i]
		found[v.Place.File] = append(found[v.Place.File], fmt.Sprint(v.Rule, " ", v.Severity, " ", keptOf(v, false).message))
	}
	for _, list := range found {
		slices.Sort(list)
	}
	return found
}

// withoutFindings returns the names of texts in which nothing is found.
func withoutFindings(t *testing.T, texts map[string]string) map[string]bool {
	t.Helper()
	report, err := workspace.Run(t.Context(), plantedOptions(t, texts, false, 0).Check)
	if err != nil {
		t.Fatal(err)
	}
	found, clean := byFile(&report), map[string]bool{}
	for name := range texts {
		if len(found[name]) == 0 {
			clean[name] = true
		}
	}
	return clean
}

// Faults of many kinds, in accepted objects and all styles of writing: the fixed text is the accepted one, byte for byte,
// whatever the number of workers, and a second run changes nothing. What is not fixed is left byte for byte.
func TestPlantedFaultsAreFixed(t *testing.T) {
	all := objects(t)
	p := plants{t: t, all: all, fixed: map[string]int{}, left: map[string]int{}, reasons: map[string]int{}, examples: map[string]string{}}
	for batch := uint64(0); p.planted < *plantedCount && p.wrong < 30; batch++ {
		p.fix(rand.New(rand.NewPCG(*plantedSeed, batch)))
	}
	t.Log(p.String())
}

// plants counts what became of faults.
type plants struct {
	t              *testing.T
	all            []map[string]any
	texts, planted int
	wrong          int
	fixed, left    map[string]int // by the kind of fault
	reasons        map[string]int // of what is left
	examples       map[string]string
}

func (p *plants) String() string {
	var b strings.Builder
	fixed, left := 0, 0
	for kind := range p.fixed {
		fixed += p.fixed[kind]
	}
	for kind := range p.left {
		left += p.left[kind]
	}
	fmt.Fprintf(&b, "%d faults in %d texts: %d fixed, %d left\n", p.planted, p.texts, fixed, left)
	for _, kind := range slices.Sorted(maps.Keys(p.left)) {
		fmt.Fprintln(&b, kind, p.fixed[kind], "fixed", p.left[kind], "left")
	}
	keys := slices.SortedFunc(maps.Keys(p.reasons), func(a, b string) int { return p.reasons[b] - p.reasons[a] })
	for _, key := range keys[:min(len(keys), 40)] {
		fmt.Fprintln(&b, p.reasons[key], key, p.examples[key])
	}
	return b.String()
}

// mostAtOnce is the number of texts of a run.
const mostAtOnce = 800

// fix plants faults in some texts, fixes them, and compares the result.
func (p *plants) fix(r *rand.Rand) {
	t := p.t
	isUnsafe := r.IntN(2) == 0
	cases, bad, want := map[string]planted.Case{}, map[string]string{}, map[string]string{}
	for planted := 0; len(cases) < mostAtOnce && planted < *plantedCount-p.planted; {
		if c, ok := drawn(r, p.all, isUnsafe); ok {
			name := plantedName(len(cases), c.Name)
			cases[name], bad[name], want[name] = c, c.Bad, c.Want
			planted += len(c.Faults)
		}
	}
	isGood := withoutFindings(t, want)
	for name := range cases {
		if !isGood[name] {
			delete(cases, name)
			delete(bad, name)
		}
	}
	o := plantedOptions(t, bad, isUnsafe, 1+r.IntN(3))
	before, err := workspace.Run(t.Context(), o.Check)
	if err != nil {
		t.Fatal(err)
	}
	result, err := run(t.Context(), o, 100*maxTrials)
	if err != nil {
		t.Fatal(err)
	}
	if r.IntN(8) == 0 {
		o.Check.Jobs = 4 - o.Check.Jobs
		if other, err := run(t.Context(), o, 100*maxTrials); err != nil || !reflect.DeepEqual(other.Changes, result.Changes) {
			t.Errorf("with %d workers, other texts are changed; %v", o.Check.Jobs, err)
		}
	}
	have := maps.Clone(bad)
	for _, c := range result.Changes {
		have[c.Name] = c.After
	}
	declined := map[string]string{}
	for _, d := range result.Declined {
		declined[d.Finding.Place.File] = d.Why
	}
	inBefore, inAfter := byFile(&before), byFile(&result.Report)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		if c := cases[name]; len(inBefore[name]) > 0 {
			p.compare(&c, have[name], inBefore[name], inAfter[name], declined[name])
		}
	}
	again, err := run(t.Context(), plantedOptions(t, have, isUnsafe, o.Check.Jobs), 100*maxTrials)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range again.Changes {
		p.wrong++
		t.Errorf("a second run changes %q to %q", around(c.Before, c.After), around(c.After, c.Before))
	}
}

// drawn returns a case of one of the objects.
func drawn(r *rand.Rand, all []map[string]any, isUnsafe bool) (planted.Case, bool) {
	return planted.Draw(r, all[r.IntN(len(all))], isUnsafe)
}

// compare compares a fixed text with what it must be. The findings are those before and after, without places.
func (p *plants) compare(c *planted.Case, have string, before, after []string, why string) {
	isNew := slices.ContainsFunc(after, func(f string) bool { return !slices.Contains(before, f) })
	fixed, ok := c.Fixed(have)
	if !ok && len(c.Faults) == 1 && len(after) == 0 && isSameObject(have, c.Want) { // written in another place
		fixed, ok = []bool{true}, true
	}
	if isNew || !ok {
		p.wrong++
		p.t.Errorf("new finding %v, other text %v: %+v [%s]: have %q, want %q, bad %q; findings %q, before %q", isNew, !ok, c.Faults, c.Styles,
			around(have, c.Want), around(c.Want, have), around(c.Bad, have), after, before)
		return
	}
	p.texts++
	for i, f := range c.Faults {
		switch {
		case fixed[i]:
			p.fixed[f.Kind]++
			p.planted++
		case len(after) > 0: // otherwise nothing is wrong
			p.left[f.Kind]++
			p.planted++
			if len(c.Faults) == 1 {
				key := fmt.Sprintf("%s | %s | %s, shared: %v", f.Kind, after[0], why, f.IsShared)
				p.reasons[key]++
				p.examples[key] = fmt.Sprintf("[%s] %q", c.Styles, around(c.Bad, c.Want))
			}
		}
	}
}

// around returns a text from a bit before where it differs from another one to a bit after.
func around(text, other string) string {
	start, end := 0, len(text)
	for start < min(len(text), len(other)) && text[start] == other[start] {
		start++
	}
	for end > start && len(other)-(len(text)-end) > start && text[end-1] == other[len(other)-(len(text)-end)-1] {
		end--
	}
	return text[max(0, start-40):min(len(text), end+20)]
}

// isSameObject reports whether other readers see the same values in two texts.
func isSameObject(a, b string) bool {
	x, isA := planted.Object(a)
	y, isB := planted.Object(b)
	return isA && isB && reflect.DeepEqual(x, y)
}
