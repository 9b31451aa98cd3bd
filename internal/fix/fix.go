// Package fix applies the fixes of findings to texts, and checks again whether each one was right.
//
// A fix is planned where the finding is made. This package chooses among the fixes of a report, applies those that do not
// overlap, and makes the report of the new texts. A fix stays if its finding is gone, nothing new is found anywhere, and
// all other values are the same; otherwise it is declined. Fixes that had to wait, because they overlap with others, are
// applied in the next pass. [Run] only changes texts in memory; [Change.Write] writes one to its file.
package fix

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/edit"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/workspace"
)

// Options say what is fixed.
type Options struct {
	Check workspace.Options
	// Unsafe also applies fixes that guess what was meant, or that change what a server does.
	Unsafe bool
	// Rules are the rules whose findings are fixed; nil means all.
	Rules []diag.Rule
	// Stdin is standard input, if that is checked.
	Stdin string
}

// Change is a text that was changed.
type Change struct {
	// Name is the file in the report. Path is absolute; "" is standard input.
	Name, Path    string
	Before, After string
	at            find.InIndex // with --staged
}

// Declined is a finding whose fix was not applied although the options ask for it.
type Declined struct {
	Finding diag.Violation
	Why     string
}

// Result is the outcome of all passes.
type Result struct {
	// Report is that of the texts after all changes.
	Report workspace.Result
	// Changes are in the order of names.
	Changes []Change
	// Fixed are the findings that are gone, in the order in which they were fixed.
	Fixed    []diag.Violation
	Declined []Declined
	// Waiting is the number of fixes that another pass would apply.
	Waiting int
	// Stdin is the text of standard input after all changes, if that was checked.
	Stdin string
	index *find.Index // with --staged
}

// Limits of a run.
const (
	// maxPasses is how often fixes are applied, because some overlap with others.
	maxPasses = 10
	// maxTrials is how many reports are made to find out which of several fixes are not right. Each takes as long as a
	// run at most.
	maxTrials = 200
	// maxText is the maximum size of a file that is changed, as that of a document.
	maxText = manifest.MaxPart
)

// Run applies fixes until none is left. It returns an error if nothing could be checked.
func Run(ctx context.Context, o Options) (Result, error) { return run(ctx, o, maxTrials) }

func run(ctx context.Context, o Options, trials int) (Result, error) {
	r := runner{
		options: o, stdin: o.Stdin, isStdin: slices.Contains(o.Check.Files.Paths, "-"),
		originals: map[string]*Change{}, declined: map[identity]bool{}, hasty: map[identity]bool{}, trials: trials,
	}
	if o.Check.Files.Staged {
		r.result.index = find.NewIndex(o.Check.Files)
	}
	var err error
	if r.result.Report, err = workspace.Run(ctx, r.check()); err != nil {
		return Result{}, err
	}
	if len(r.candidates(&r.result.Report)) > 0 {
		if err := r.passes(ctx); err != nil {
			return Result{}, err
		}
		if r.result.Changes = r.changes(); len(r.result.Changes) > 0 {
			r.result.Report, err = workspace.Run(ctx, r.check())
		}
		r.explain()
	}
	r.result.Stdin = r.stdin
	return r.result, err
}

// runner is the state of a run.
type runner struct {
	options   Options
	snapshot  *workspace.Snapshot // nil for standard input and the git index
	stdin     string
	isStdin   bool
	originals map[string]*Change // by name; the texts before and after the passes so far
	declined  map[identity]bool
	// hasty are declined fixes that were not tried alone, but were the only ones in the file of the new finding. isExact
	// means that there may be no more of them, because a fix led to a finding in another file.
	hasty   map[identity]bool
	isExact bool
	// hasAccepted means that fixes were accepted since the declined ones were tried.
	hasAccepted bool
	// outputs are what charts and kustomizations have written, and accepted those without a trial.
	outputs  outputs
	accepted map[outputKey]string
	trials   int
	result   Result
}

// identity tells the fixes of a report apart: the rule and message of the finding, and where the first edit is.
type identity struct {
	rule          diag.Rule
	message, file string
	start, end    int
	text          string
}

// candidate is a fix that may be applied.
type candidate struct {
	finding *diag.Violation
	edits   []edit.Edit
	id      identity
	isSafe  bool
	step    int // how many steps of a trial changed the file before the finding was made
	// replaced are the texts of the edits, before and after.
	replaced []replacement
}

type replacement struct{ old, new string }

// check returns the options of a report of the texts so far, as the user asked for it.
func (r *runner) check() workspace.Options {
	o := r.options.Check
	o.Stdin = strings.NewReader(r.stdin)
	if r.isStaged() {
		o.Files.Restaged = map[find.InIndex]string{}
		for _, c := range r.originals {
			o.Files.Restaged[c.at] = c.After
		}
		return o
	}
	texts := find.NewOverlay(o.Files.Base.Tree)
	for _, c := range r.originals {
		if c.Path != "" {
			texts.Set(c.Path, c.After)
		}
	}
	o.Files.Base.Tree = texts
	return o
}

// passes applies fixes until none is left, or the last pass ends.
func (r *runner) passes(ctx context.Context) error {
	before, err := r.report(ctx)
	if err != nil {
		return err
	}
	r.accepted = r.outputs.snapshot()
	for passes := 0; passes < maxPasses; {
		chosen := r.choose(ctx, r.candidates(&before))
		if len(chosen) == 0 && len(r.declined) > 0 && (r.hasAccepted || r.isExact && len(r.hasty) > 0) {
			r.forgetDeclined()
			passes++
			continue
		}
		if len(chosen) == 0 {
			return nil
		}
		isWhole := false
		if isWhole, before, err = r.apply(ctx, before, chosen); err != nil {
			return err
		}
		if isWhole {
			passes++
		}
	}
	r.result.Waiting = len(r.candidates(&before))
	return nil
}

// apply applies fixes that do not overlap. Those that are not right are declined. It returns the report of the texts
// afterwards, and whether each fix was applied or declined.
func (r *runner) apply(ctx context.Context, before workspace.Result, chosen []candidate) (bool, workspace.Result, error) {
	if r.trials <= 0 {
		for _, c := range chosen {
			r.decline(c, whyNotTried)
		}
		return true, before, nil
	}
	t, err := r.try(ctx, &before, chosen)
	if err != nil {
		return false, workspace.Result{}, err
	}
	if t.isRight {
		r.accept(t)
		return true, t.after, nil
	}
	for change, text := range t.texts {
		r.set(change, text)
	}
	var others, doubtful []candidate
	r.isExact = r.isExact || t.isElsewhere
	for i, c := range chosen {
		switch why := t.wrong[i]; {
		case why == whyNotGone, len(chosen) == 1:
			r.decline(c, cmp.Or(why, whyOther))
		case why != "" && t.isStuck[i] && !r.isExact && t.isAlone(i):
			r.decline(c, why)
			r.hasty[c.id] = true
		case why != "" && t.isStuck[i]:
			doubtful = append(doubtful, c)
		default:
			others = append(others, c)
		}
	}
	// A doubtful fix is declined if it is not right alone; the next pass tries it again.
	rest := others
	switch {
	case len(others)+len(doubtful) == 0:
		return true, before, nil
	case len(others) == 0:
		rest = t.part(doubtful)
	case len(others) == len(chosen):
		rest = t.part(others)
	}
	isWhole, before, err := r.apply(ctx, before, rest)
	return isWhole && len(rest) == len(others)+len(doubtful), before, err
}

// forgetDeclined makes the next pass try the declined fixes again: one that was not right may be now.
func (r *runner) forgetDeclined() {
	r.declined, r.hasty, r.result.Declined, r.hasAccepted = map[identity]bool{}, map[identity]bool{}, nil, false
}

// each returns the options of a report that lists each finding.
func (r *runner) each(o workspace.Options) workspace.Options {
	o.Report.Each, o.Check.MaxFindings, o.Written = true, 0, r.outputs.add
	return o
}

// report makes the report of the texts so far, with each finding.
func (r *runner) report(ctx context.Context) (workspace.Result, error) {
	if r.isStdin || r.isStaged() {
		return workspace.Run(ctx, r.each(r.check()))
	}
	if r.snapshot == nil {
		r.snapshot = workspace.Open(r.each(r.options.Check))
	}
	return r.snapshot.Report(ctx)
}

// set changes the text of a file for the next report.
func (r *runner) set(c *Change, text string) {
	if c.After = text; c.Path == "" {
		r.stdin = text
	} else if r.snapshot != nil {
		r.snapshot = r.snapshot.Set(c.Path, text)
	}
}

// candidates returns the fixes of a report that the options ask for.
func (r *runner) candidates(report *workspace.Result) []candidate {
	list := make([]*diag.Violation, len(report.Report.Violations))
	for i := range list {
		list[i] = &report.Report.Violations[i]
	}
	return r.fixesOf(list)
}

// fixesOf returns of each finding the best fix that the options ask for and that was not declined.
func (r *runner) fixesOf(findings []*diag.Violation) (list []candidate) {
	for _, v := range findings {
		if r.options.Rules != nil && !slices.Contains(r.options.Rules, v.Rule) {
			continue
		}
		for _, f := range v.Applicable(r.options.Unsafe) {
			c := candidate{finding: v, edits: f.Bytes(), isSafe: f.Safe}
			first := c.edits[0]
			c.id = identity{v.Rule, v.Message, first.File, first.Span.Start, first.Span.End, first.New}
			if !r.declined[c.id] {
				list = append(list, c)
				break
			}
		}
	}
	// Of two that overlap, an error is fixed: what a warning says may follow from it. Then a safe fix goes before a guess.
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.finding.Severity, a.finding.Severity), isTrueFirst(a.isSafe, b.isSafe))
	})
	return list
}

func isTrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// choose returns the fixes that are applied in a pass: those that do not overlap, and whose files can be changed.
func (r *runner) choose(ctx context.Context, list []candidate) (chosen []candidate) {
	byFile := map[string][]int{}
	for i, c := range list {
		byFile[c.edits[0].File] = append(byFile[c.edits[0].File], i)
	}
	isLeft := make([]bool, len(list))
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		indexes := byFile[file]
		change, why := r.original(ctx, file)
		groups := make([][]edit.Edit, len(indexes))
		for i, at := range indexes {
			groups[i] = list[at].edits
			if why == "" && !fits(change.After, groups[i]) {
				why = whyChanged
			}
		}
		if why != "" {
			for _, at := range indexes {
				r.decline(list[at], why)
				isLeft[at] = true
			}
			continue
		}
		for _, i := range edit.Apply(change.After, groups...).Left {
			isLeft[indexes[i]] = true
		}
	}
	for i, c := range list {
		if !isLeft[i] {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// fits reports whether all edits are inside a text.
func fits(text string, edits []edit.Edit) bool {
	return !slices.ContainsFunc(edits, func(e edit.Edit) bool {
		return e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(text)
	})
}

// explain says in the report why fixes were not applied.
func (r *runner) explain() {
	type key struct {
		rule          diag.Rule
		message, path string
		document      document
	}
	keyOf := func(v *diag.Violation) key { return key{v.Rule, v.Message, v.Path.String(), documentOf(v)} }
	declined := map[key]string{}
	for i := range r.result.Declined {
		d := &r.result.Declined[i]
		declined[keyOf(&d.Finding)] = d.Why
	}
	for i := range r.result.Report.Report.Violations {
		v := &r.result.Report.Report.Violations[i]
		if why, ok := declined[keyOf(v)]; ok {
			v.NotFixed = why
		}
	}
}

func (r *runner) decline(c candidate, why string) {
	if !r.declined[c.id] {
		r.declined[c.id] = true
		r.result.Declined = append(r.result.Declined, Declined{*c.finding, why})
	}
}

// replacements returns what edits replace, and by what.
func (r *runner) replacements(edits []edit.Edit) (list []replacement) {
	for _, e := range edits {
		list = append(list, replacement{r.originals[e.File].After[e.Span.Start:e.Span.End], e.New})
	}
	return list
}

// edited is a text with edits.
type edited struct {
	change *Change
	result edit.Result
}

// edited returns the texts of files with fixes that do not overlap, in the order of names.
func (r *runner) edited(chosen []candidate) (list []edited) {
	groups := map[string][][]edit.Edit{}
	for _, c := range chosen {
		groups[c.edits[0].File] = append(groups[c.edits[0].File], c.edits)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		change := r.originals[name]
		list = append(list, edited{change, edit.Apply(change.After, groups[name]...)})
	}
	return list
}

// accept keeps the texts of a trial.
func (r *runner) accept(t *trial) {
	r.hasAccepted, r.accepted = r.hasAccepted || len(r.declined) > 0, r.outputs.snapshot()
	for _, c := range t.fixed {
		r.result.Fixed = append(r.result.Fixed, *c.finding)
	}
	move := func(id identity) identity {
		id.start, id.end = t.moves[id.file].offset(id.start), t.moves[id.file].offset(id.end)
		return id
	}
	declined, hasty := map[identity]bool{}, map[identity]bool{}
	for id := range r.declined {
		declined[move(id)] = true
	}
	for id := range r.hasty {
		hasty[move(id)] = true
	}
	r.declined, r.hasty = declined, hasty
}
