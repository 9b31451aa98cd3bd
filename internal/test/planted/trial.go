package planted

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/fix"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/test/parity"
	"github.com/kindvet/kindvet/internal/workspace"
)

// atOnce is how many texts are drawn before those that need a run are fixed in one. Each run has a cost of its own, and fixes that are
// not right cost reports of all its texts.
const atOnce = 400

// Trial plants faults into objects, fixes them, and counts what became of them.
type Trial struct {
	Objects []Object
	// Dir is an empty directory. No text is written: all are in memory.
	Dir string
	// Texts is the number of texts with faults. Fixed and Left count the faults of each kind.
	Texts       int
	Fixed, Left map[string]int
	// Reasons counts the findings that are left in texts with one fault, and Examples has such a fault.
	Reasons  map[string]int
	Examples map[string]string
	// Wrong says what must not be: another text than the one without the fault, a new finding, a second run that changes
	// something, or a result that depends on the number of workers.
	Wrong []string
	// Fixes receives each changed text of a built-in kind, if it is one document; nil for none. The verdict is accepted if
	// nothing is left.
	Fixes   func(parity.Case) error
	checker *checker
}

// NewTrial returns a trial without results.
func NewTrial(objects []Object, dir string) (*Trial, error) {
	c, err := newChecker(dir, lintOptions)
	return &Trial{
		Objects: objects, Dir: dir, checker: c,
		Fixed: map[string]int{}, Left: map[string]int{}, Reasons: map[string]int{}, Examples: map[string]string{},
	}, err
}

// Count is the number of faults that were fixed.
func (t *Trial) Count() (n int) {
	for _, count := range t.Fixed {
		n += count
	}
	return n
}

// options returns the options of a check of texts, by their names. Each is named: a search skips files without an apiVersion.
func options(dir string, texts map[string]string) (o workspace.Options) {
	tree := find.NewOverlay(find.Disk{})
	for name, text := range texts {
		tree.Set(filepath.Join(dir, name), text)
	}
	o.Files.Base, o.Files.Paths, o.Files.NoConfig = find.Base{Dir: dir, Tree: tree}, slices.Sorted(maps.Keys(texts)), true
	o.NoDiscovery = true
	o.Settings.Lint = lintOptions
	return o
}

// lintOptions turn off rules about several documents: the texts have the same names.
var lintOptions = rule.Options{Profile: "recommended", Disable: []string{"set"}}

// nameOf returns the name of one of many texts.
func nameOf(i int, name string) string { return fmt.Sprintf("%d-%s", i, name) }

// byFile returns the findings of each file without places and numbers, which change with each edit above.
func byFile(all []diag.Violation) map[string][]string {
	found := map[string][]string{}
	for i := range all {
		v := &all[i]
		message := strings.Map(func(c rune) rune {
			if '0' <= c && c <= '9' {
				return -1
			}
			return c
		}, v.Message)
		found[v.Place.File] = append(found[v.Place.File], fmt.Sprint(v.Rule, " ", v.Severity, " ", message))
	}
	for _, list := range found {
		slices.Sort(list)
	}
	return found
}

// drawn is a text with faults that was drawn, and what became of it.
type drawn struct {
	Case
	object Object
	// isNothing means that nothing is found; isRight that the edits of all findings leave a text as it must be; isRun that it is fixed
	// in a run even so.
	isNothing, isRight, isRun bool
	have                      string
	before, after             []string // findings
	why                       string   // a fix was declined
}

// Batch draws texts, fixes them, and compares the results. Most texts are right after the first fix of each finding. The others are
// fixed in a run, which finds out which fix is not right, and some of those, of which it must make the same.
func (t *Trial) Batch(ctx context.Context, r *rand.Rand) error {
	isUnsafe := r.IntN(2) == 0
	all := make([]*drawn, atOnce)
	for i := range all {
		for all[i] == nil {
			object := t.Objects[r.IntN(len(t.Objects))]
			if c, ok := Draw(r, object.Value, isUnsafe); ok {
				all[i] = &drawn{Case: c, object: object, isRun: r.IntN(16) == 0}
			}
		}
	}
	each(len(all), func(i int) { t.fixAtOnce(all[i], isUnsafe) })
	cases := map[string]*drawn{}
	for i, c := range all {
		switch {
		case c.isNothing:
		case c.object.Value["kind"] == "Secret" && (c.isRun || !c.isRight): // other files must not have its secrets
			if err := t.run(ctx, r, map[string]*drawn{c.Name: c}, isUnsafe); err != nil {
				return err
			}
		case c.isRight && !c.isRun:
			if err := t.add(c); err != nil {
				return err
			}
		default:
			cases[nameOf(i, c.Name)] = c
		}
	}
	return t.run(ctx, r, cases, isUnsafe)
}

// fixAtOnce makes the edits of all findings.
func (t *Trial) fixAtOnce(c *drawn, isUnsafe bool) {
	have, before, after := t.checker.fixed(c.Name, c.Bad, isUnsafe)
	c.have, c.before, c.after = have, byFile(before)[c.Name], byFile(after)[c.Name]
	c.isNothing = len(before) == 0 || len(after) > 0 && len(t.checker.check(c.Name, c.Want)) > 0 // the style has a finding
	_, ok := c.Case.Fixed(have)
	c.isRight = ok && !c.isNew()
}

// isNew reports whether a finding is left that was not there before.
func (c *drawn) isNew() bool {
	return slices.ContainsFunc(c.after, func(f string) bool { return !slices.Contains(c.before, f) })
}

// each calls f for each index below n, on all processors.
func each(n int, f func(i int)) {
	var workers sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	workers.Wait()
}

// run fixes texts in a run, and compares the results.
func (t *Trial) run(ctx context.Context, r *rand.Rand, cases map[string]*drawn, isUnsafe bool) error {
	bad := map[string]string{}
	for name, c := range cases {
		bad[name] = c.Bad
	}
	o := fix.Options{Check: options(t.Dir, bad), Unsafe: isUnsafe}
	o.Check.Jobs = 1 + r.IntN(3)
	result, err := fix.Run(ctx, o)
	if err != nil {
		return err
	}
	if r.IntN(16) == 0 {
		o.Check.Jobs = 4 - o.Check.Jobs
		other, err := fix.Run(ctx, o)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(other.Changes, result.Changes) {
			t.Wrong = append(t.Wrong, fmt.Sprintf("with %d workers, other texts are changed", o.Check.Jobs))
		}
	}
	have := maps.Clone(bad)
	for _, c := range result.Changes {
		have[c.Name] = c.After
	}
	why := map[string]string{}
	for _, d := range result.Declined {
		why[d.Finding.Place.File] = d.Why
	}
	found := byFile(result.Report.Report.Violations)
	for name, c := range cases {
		if c.isRight && len(c.after) == 0 && c.have != have[name] && why[name] == "" {
			t.Wrong = append(t.Wrong, fmt.Sprintf("a run does not make the edits of all findings: %+v [%s]: have %q, want %q, bad %q, %d wait",
				c.Faults, c.Styles, around(have[name], c.have), around(c.have, have[name]), around(c.Bad, c.have), result.Waiting))
		}
		c.have, c.after, c.why = have[name], found[name], why[name]
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		if c := cases[name]; len(c.after) > 0 || c.have != c.Bad {
			if err := t.add(c); err != nil {
				return err
			}
		}
	}
	return t.repeat(ctx, cases, isUnsafe)
}

// add counts a text.
func (t *Trial) add(c *drawn) error {
	t.compare(c)
	if t.Fixes == nil || !c.object.IsBuiltIn || !c.IsSingle || c.have == c.Bad {
		return nil
	}
	return t.Fixes(c.request())
}

// request returns the request to create the fixed object.
func (c *drawn) request() parity.Case {
	var kinds []string
	for _, f := range c.Faults {
		kinds = append(kinds, f.Kind)
	}
	version, _ := c.object.Value["apiVersion"].(string)
	kind, _ := c.object.Value["kind"].(string)
	return parity.Case{
		Name: "fixed: " + strings.Join(kinds, ", "), Kind: version + " " + kind,
		Request: parity.Request{New: c.have, JSON: strings.HasSuffix(c.Name, ".json")},
		Verdict: parity.Verdict{Accepted: len(c.after) == 0},
	}
}

// compare compares a fixed text with what it must be.
func (t *Trial) compare(c *drawn) {
	isNew := c.isNew()
	fixed, ok := c.Case.Fixed(c.have)
	if !ok && len(c.Faults) == 1 && len(c.after) == 0 && isSameObject(c.have, c.Want) { // written in another place
		fixed, ok = []bool{true}, true
	}
	if isNew || !ok {
		t.Wrong = append(t.Wrong, fmt.Sprintf("new finding %v, other text %v: %+v [%s]: have %q, want %q, bad %q; findings %q, before %q", isNew,
			!ok, c.Faults, c.Styles, around(c.have, c.Want), around(c.Want, c.have), around(c.Bad, c.have), c.after, c.before))
		return
	}
	t.Texts++
	for i, f := range c.Faults {
		switch {
		case fixed[i]:
			t.Fixed[f.Kind]++
		case len(c.after) > 0: // otherwise nothing is wrong
			t.Left[f.Kind]++
			if len(c.Faults) == 1 {
				key := fmt.Sprintf("%s | %s | %s, shared: %v", f.Kind, c.after[0], c.why, f.IsShared)
				t.Reasons[key]++
				t.Examples[key] = fmt.Sprintf("[%s] %q", c.Styles, around(c.Bad, c.Want))
			}
		}
	}
}

// repeat runs the fixes again. A text without findings has none.
func (t *Trial) repeat(ctx context.Context, cases map[string]*drawn, isUnsafe bool) error {
	left := map[string]string{}
	for name, c := range cases {
		if len(c.after) > 0 && c.have != c.Bad {
			left[name] = c.have
		}
	}
	if len(left) == 0 {
		return nil
	}
	again, err := fix.Run(ctx, fix.Options{Check: options(t.Dir, left), Unsafe: isUnsafe})
	if err != nil {
		return err
	}
	for _, c := range again.Changes {
		t.Wrong = append(t.Wrong, fmt.Sprintf("a second run changes %q to %q", around(c.Before, c.After), around(c.After, c.Before)))
	}
	return nil
}

// String says how many faults of each kind were fixed, and why others were not.
func (t *Trial) String() string {
	var b strings.Builder
	left := 0
	for _, count := range t.Left {
		left += count
	}
	fmt.Fprintf(&b, "%d texts: %d faults fixed, %d left, %d wrong\n", t.Texts, t.Count(), left, len(t.Wrong))
	kinds := maps.Clone(t.Left)
	maps.Copy(kinds, t.Fixed)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, "%8d fixed %8d left  %s\n", t.Fixed[kind], t.Left[kind], kind)
	}
	keys := slices.SortedFunc(maps.Keys(t.Reasons), func(a, b string) int { return t.Reasons[b] - t.Reasons[a] })
	for _, key := range keys[:min(len(keys), 40)] {
		fmt.Fprintln(&b, t.Reasons[key], key, t.Examples[key])
	}
	return b.String()
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
	x, isA := Read(a)
	y, isB := Read(b)
	return isA && isB && reflect.DeepEqual(x, y)
}
