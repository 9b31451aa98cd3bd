// Package run is one run: paths in, a report out.
//
// Files are checked side by side, each by one worker with a tree of its own, and each fills its own place in the results, so that
// the report is the same for any number of workers.
package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/kinds"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// UnknownKinds says what becomes of documents whose kind has no schema.
type UnknownKinds uint8

// Auto, the zero value, makes an error of a kind or version missing from a known group, and of a near miss of a group; all others
// are skipped. The other modes treat every document without a schema alike.
const (
	Auto UnknownKinds = iota
	Fail
	Warn
	Skip
)

// Options say what to check, and how. Paths must not be empty.
type Options struct {
	// Paths are files, folders, globs, or "-" for Stdin.
	Paths []string
	Stdin io.Reader
	// StdinName names the text of Stdin in the report; "" means "<stdin>".
	StdinName string
	// Schemas are files and folders of CustomResourceDefinitions.
	Schemas      []string
	UnknownKinds UnknownKinds
	// Old names the state before: a file, a folder, or a git revision; "" means that every object is created.
	Old string
	// Objects asks for a verdict on each document.
	Objects bool
	// Jobs is the number of workers; 0 means one for each processor.
	Jobs int
}

// Result is what became of a run.
type Result struct {
	Report diag.Report
	// Objects are the verdicts on all documents, by file and place, if they were asked for.
	Objects []diag.Verdict
	// Transitions counts the transition rules that had no old object to compare with.
	Transitions int
	// Failures say what could not be read.
	Failures []error
}

// Run checks all paths. An error means that nothing could be checked; what kept single files from being read is in the result.
func Run(ctx context.Context, o Options) (Result, error) {
	registry, schemaViolations, err := loadRegistry(o.Schemas)
	if err != nil {
		return Result{}, err
	}
	files, failures := findFiles(o.Paths)
	for i := range files {
		if files[i].stdin && o.StdinName != "" {
			files[i].name = o.StdinName
		}
	}
	var old *oldState
	if o.Old != "" {
		if old, err = loadOld(o.Old, files); err != nil {
			return Result{}, err
		}
	}
	outcomes := make([]outcome, len(files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers(o.Jobs, len(files)) {
		wg.Go(func() {
			w := worker{registry: registry, old: old, options: &o}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) || ctx.Err() != nil {
					return
				}
				outcomes[i] = w.checkFile(files[i])
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	schemaViolations = append(schemaViolations, registry.Broken()...)
	return gather(schemaViolations, outcomes, failures), nil
}

func gather(schemaViolations []diag.Violation, outcomes []outcome, failures []error) Result {
	r := Result{Failures: failures}
	r.Report.Violations = schemaViolations
	for i := range schemaViolations {
		r.Report.Summary.Count(schemaViolations[i].Severity)
	}
	for _, o := range outcomes {
		r.Report.Violations = append(r.Report.Violations, o.violations...)
		r.Report.NotEvaluated = append(r.Report.NotEvaluated, o.notEvaluated...)
		r.Objects = append(r.Objects, o.objects...)
		r.Transitions += o.transitions
		r.Report.Summary.Add(o.summary)
		if o.err != nil {
			r.Failures = append(r.Failures, o.err)
		}
	}
	diag.SortViolations(r.Report.Violations)
	diag.SortNotEvaluated(r.Report.NotEvaluated)
	return r
}

// outcome is what became of one file.
type outcome struct {
	violations   []diag.Violation
	notEvaluated []diag.NotEvaluated
	objects      []diag.Verdict
	transitions  int // rules that wanted an old object
	summary      diag.Summary
	err          error
}

func loadRegistry(paths []string) (*kinds.Registry, []diag.Violation, error) {
	registry := kinds.Embedded()
	if len(paths) == 0 {
		return registry, nil, nil
	}
	files, failures := findFiles(paths)
	if len(failures) > 0 {
		return nil, nil, fmt.Errorf("schemas: %w", failures[0])
	}
	found := 0
	var violations []diag.Violation
	for _, f := range files {
		text, err := f.read(nil)
		if err != nil {
			return nil, nil, fmt.Errorf("schemas: %w", err)
		}
		n, vs := registry.Load(&source.Source{Name: f.name, Text: string(text)})
		found += n
		violations = append(violations, vs...)
	}
	if found == 0 {
		return nil, nil, fmt.Errorf("schemas: no CustomResourceDefinition in %s", slices.Concat(paths)[0])
	}
	return registry, violations, nil
}

// worker checks one file after the other, and reuses what it allocated.
type worker struct {
	registry *kinds.Registry
	old      *oldState
	options  *Options
	tree     manifest.Tree
}

func (w *worker) checkFile(f file) outcome {
	text, err := f.read(w.options)
	if err != nil {
		return outcome{err: err}
	}
	c := &checker{worker: w, src: &source.Source{Name: f.name, Text: string(text)}}
	c.summary.Files = 1
	c.checkAll()
	return c.outcome
}

// CheckText checks one text against a registry, every document of it, as an update of the objects in old where that is not "".
func CheckText(registry *kinds.Registry, src *source.Source, old string) []diag.Violation {
	w := worker{registry: registry, options: &Options{UnknownKinds: Fail}}
	if old != "" {
		w.old = &oldState{objects: map[identity]*oldObject{}}
		w.old.add(src.Name, old)
	}
	c := &checker{worker: &w, src: src}
	c.checkAll()
	return c.violations
}
