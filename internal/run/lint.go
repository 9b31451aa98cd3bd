package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// ReadRules reads the rules in files and folders that the user names. Examples, which stand beside the rules of a folder, are passed over.
func ReadRules(paths []string) (rules []*lint.Rule, violations []diag.Violation, err error) {
	return readRules(find.Named(paths))
}

func readRules(list []find.Auxiliary) (rules []*lint.Rule, violations []diag.Violation, err error) {
	var paths []string
	seen := map[string]bool{}
	for _, a := range list {
		paths = append(paths, a.Path)
		files, failures := find.All([]string{a.Path})
		if len(failures) > 0 {
			return nil, nil, fmt.Errorf("rules: %w", failures[0])
		}
		for _, f := range files {
			if lint.IsExample(filepath.Base(f.Name)) || seen[filepath.Clean(f.Name)] {
				continue
			}
			seen[filepath.Clean(f.Name)] = true
			src, err := f.Source(disk.Rules, a.Private)
			if err != nil {
				return nil, nil, fmt.Errorf("rules: %w", err)
			}
			r, vs := lint.ParseRule(src)
			violations = append(violations, vs...)
			if r != nil {
				rules = append(rules, r)
			}
		}
	}
	if len(seen) == 0 && len(list) > 0 {
		return nil, nil, fmt.Errorf("rules: no rule in %s", strings.Join(paths, ", "))
	}
	return rules, violations, nil
}

// ruleNames returns the ids of all rules that there are, and of those that some of the sets leave out.
func (e *engines) ruleNames() (all, idle []diag.Rule) {
	own := slices.Concat(e.options.Lint.Own, e.own)
	if len(e.sets) == 0 {
		return (*lint.Set)(nil).Names(own)
	}
	for _, rules := range e.sets {
		known, left := rules.Names(own)
		all, idle = append(all, known...), append(idle, left...)
	}
	return all, idle
}

// allRuleNames returns the names of all rules, those that a server enforces included.
func (e *engines) allRuleNames() []string {
	var names []string
	for _, d := range slices.Concat(diag.Enforced, diag.Bookkeeping) {
		names = append(names, string(d.Rule))
	}
	lints, _ := e.ruleNames()
	for _, rule := range lints {
		names = append(names, string(rule))
	}
	return names
}

// newLinted is a document as the lint rules see it, until the next.
func (c *checker) newLinted(n, old manifest.Node, group, kind string, o diag.Object) *lint.Document {
	if c.candidates != nil {
		o = kept(o)
	}
	c.shown = lint.Document{Root: n, Group: group, Kind: kind, Old: old, Object: o, Candidates: c.candidates, Records: c.records}
	return &c.shown
}

// newLintedKind is a document of a kind as the lint rules see it, under the built-in name of its kind.
func (c *checker) newLintedKind(n, old manifest.Node, k *catalog.Kind, o diag.Object) *lint.Document {
	group, name := k.BuiltInName()
	return c.newLinted(n, old, group, name, o)
}

// inBuiltInNames runs lint rules over a document of a kind. They are written in built-in names: a kind with a platform's names is shown to them
// in those, and what they say is said in the platform's.
func (c *checker) inBuiltInNames(k *catalog.Kind, d *lint.Document, check func(*lint.Document) []diag.Violation) []diag.Violation {
	if k.Names == nil {
		return check(d)
	}
	root, old, notEvaluated := d.Root, d.Old, len(c.notEvaluated)
	d.Root, d.Old = k.Names.Root(root), k.Names.Root(old)
	violations := check(d)
	d.Root, d.Old = root, old
	for i := range violations {
		v := &violations[i]
		v.Message, v.Help = k.Names.Text(v.Message), k.Names.Text(v.Help)
	}
	for i := range c.notEvaluated[notEvaluated:] {
		n := &c.notEvaluated[notEvaluated+i]
		n.Reason = k.Names.Text(n.Reason)
	}
	return violations
}

// lintWritten finds the faults in how a document is written, before its schema's check edits it.
func (c *checker) lintWritten(d *lint.Document) []diag.Violation {
	return c.linted(d, c.rules.Written(d))
}

// lint holds a document against the lint rules that see it as its schema's check has left it.
func (c *checker) lint(d *lint.Document) []diag.Violation {
	result := c.rules.Check(d)
	c.records = result.Records
	return c.linted(d, result)
}

func (c *checker) linted(d *lint.Document, r lint.Result) []diag.Violation {
	for i := range r.NotEvaluated {
		r.NotEvaluated[i].Object = kept(d.Object)
	}
	c.takeNotEvaluated(r.NotEvaluated)
	c.details = append(c.details, r.Details...)
	return r.Violations
}

// checkSet checks the documents of all files against the rules about sets of them. again checks some files once more, for the details of
// the candidates that the records of the first time have.
func (r *Result) checkSet(results [][]*result, limit *limit, again func(candidates lint.Candidates, files []int) [][]*result) {
	var records []lint.Records
	for o := range each(results) {
		if !o.records.None() {
			records = append(records, o.records)
		}
	}
	candidates := lint.FindCandidates(records)
	if len(candidates) == 0 {
		return
	}
	var files []int
	for i, chunks := range results {
		if slices.ContainsFunc(chunks, func(o *result) bool { return candidates.Hold(o.records) }) {
			files = append(files, i)
		}
	}
	checkedAgain := again(candidates, files)
	found := lint.Gather(detailsOf(checkedAgain))
	hideIn(found.Violations, checkedAgain)
	for i := range found.Violations {
		r.Report.Summary.Count(found.Violations[i].Severity)
	}
	inAll := &result{violations: found.Violations, notEvaluated: found.NotEvaluated}
	limit.trimShared(inAll)
	r.Report.Summary.Add(inAll.summary)
	r.Report.Violations = append(r.Report.Violations, inAll.violations...)
	r.Report.NotEvaluated = append(r.Report.NotEvaluated, inAll.notEvaluated...)
	diag.SortNotEvaluated(r.Report.NotEvaluated)
}

// hideIn takes the secrets of some files out of violations that name places in them.
func hideIn(violations []diag.Violation, results [][]*result) {
	var texts []string
	for o := range each(results) {
		texts = append(texts, o.secrets.texts...)
	}
	if len(texts) == 0 {
		return
	}
	m := newMask(texts)
	for i := range violations {
		v := &violations[i]
		m.violation(v)
		hideExcerpt(&v.Place, nil, m)
		for j := range v.Related {
			hideExcerpt(&v.Related[j].Place, nil, m)
		}
	}
}

// describe gives the report what the rules say of themselves whose violations it holds.
func (r *Result) describe(sets []*lint.Set) {
	seen := map[diag.Rule]bool{}
	for _, list := range [][]diag.Violation{r.Report.Violations, r.Report.Suppressed} {
		for i := range list {
			id := list[i].Rule
			if seen[id] {
				continue
			}
			seen[id] = true
			for _, rules := range sets {
				if rule, ok := rules.Rule(id); ok {
					r.Report.Rules = append(r.Report.Rules, rule.Description())
					break
				}
			}
		}
	}
	slices.SortFunc(r.Report.Rules, func(a, b diag.Description) int { return strings.Compare(string(a.Rule), string(b.Rule)) })
}

func detailsOf(results [][]*result) (details []lint.Detail) {
	for _, chunks := range results {
		documents := 0
		for _, o := range chunks {
			o.shiftDocumentNumbers(documents)
			documents += o.documents
			details = append(details, o.details...)
		}
	}
	return details
}

func pick(files []find.File, which []int) (list []find.File) {
	for _, i := range which {
		list = append(list, files[i])
	}
	return list
}

// keep reads a stream into memory, up to the limit of a document.
func keep(in io.Reader) (string, error) {
	text := &strings.Builder{}
	_, err := io.Copy(text, io.LimitReader(in, manifest.MaxPart+1))
	if err == nil && text.Len() > manifest.MaxPart {
		err = fmt.Errorf("has more than %d MiB, the limit for a stream that lint rules read twice; write it to a file, or use --profile schema",
			manifest.MaxPart>>20)
	}
	return text.String(), err
}

// rereadable sees to it that standard input and FIFOs can be read a second time, as rules about sets of documents may want: what is no
// file is kept in memory.
func rereadable(o *Options, files []find.File) error {
	for i := range files {
		if !files[i].IsStream {
			continue
		}
		in, err := files[i].Open()
		if err != nil {
			return err
		}
		text, err := keep(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return &fs.PathError{Op: "read", Path: files[i].Name, Err: err}
		}
		files[i].Text = &text
	}
	if !slices.ContainsFunc(files, func(f find.File) bool { return f.IsStdin }) {
		return nil
	}
	in, ok := o.Stdin.(io.ReadSeeker)
	if ok {
		_, err := in.Seek(0, io.SeekCurrent)
		ok = err == nil
	}
	if !ok {
		text, err := keep(o.Stdin)
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		in = strings.NewReader(text)
	}
	start, err := in.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	o.Stdin = &rewinder{in, start}
	return nil
}

// rewinder starts from the beginning again once it has been read to its end.
type rewinder struct {
	in    io.ReadSeeker
	start int64
}

func (r *rewinder) Read(buffer []byte) (int, error) {
	n, err := r.in.Read(buffer)
	if err == io.EOF && n == 0 {
		if _, again := r.in.Seek(r.start, io.SeekStart); again != nil {
			return 0, again
		}
	}
	return n, err
}

// CheckTexts checks texts as one set of find.Files, as an update of the objects in old where that is not "".
func CheckTexts(sources []*source.Source, old string, o lint.Options) (diag.Report, error) {
	rules, err := lint.New(o)
	if err != nil {
		return diag.Report{}, err
	}
	with := &settings{registry: catalog.Embedded(), rules: rules, unknownKinds: Skip}
	c := &pool{options: &Options{}}
	if old != "" {
		c.old = &oldState{objects: map[identity]*oldObject{}}
		c.old.add(lint.OldExample, old)
	}
	check := func() (results [][]*result) {
		w := worker{pool: c}
		for _, src := range sources {
			o := &result{}
			w.check(chunk{src: src, settings: with, into: o})
			results = append(results, []*result{o})
		}
		return results
	}
	results := check()
	all := gather(nil, results, nil)
	all.checkSet(results, nil, func(candidates lint.Candidates, _ []int) [][]*result {
		c.candidates = candidates
		return check()
	})
	diag.SortViolations(all.Report.Violations)
	return all.Report, nil
}
