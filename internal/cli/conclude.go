package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/workspace"
)

// conclude writes the summary and errors to standard error and determines the exit code.
func (f *validateFlags) conclude(s *Streams, result *workspace.Result, paths []string) error {
	if f.verbose {
		f.listDetails(s.Err, result)
	}
	f.printTrouble(s.Err, result)
	if f.statistics {
		if err := render.Statistics(s.Err, &result.Report); err != nil {
			return err
		}
	}
	f.summarize(s, result)
	f.summarizeFixes(s.Err, &result.Report)
	switch {
	case len(result.Failures) > 0:
		return failed{exitTrouble}
	case f.isNothing(result):
		fmt.Fprintln(s.Err, "kindvet: "+nothingToCheck(result, paths))
		return failed{exitTrouble}
	case fails(result, f.floor), f.fixed.fails(&f.fix):
		return failed{exitViolations}
	}
	f.printConfigured(s.Err, result)
	return nil
}

// fails reports whether a finding has the severity floor or a higher one. If floor is 0, no finding does.
func fails(result *workspace.Result, floor diag.Severity) bool {
	return floor > 0 && result.Report.Worst() >= floor
}

// printConfigured prints which setting of the configuration made a run succeed that would otherwise have failed. The
// configuration may come from a pull request, which must not turn a check off silently.
func (f *validateFlags) printConfigured(w io.Writer, result *workspace.Result) {
	switch {
	case f.hasNothing(result):
		fmt.Fprintf(w, "kindvet: the configuration sets allowEmpty: true; otherwise the exit code would be %d\n",
			exitTrouble)
	case fails(result, f.flagFloor):
		fmt.Fprintf(w, "kindvet: the configuration sets failOn: %s; otherwise the exit code would be %d\n",
			f.configured.FailOn, exitViolations)
	}
}

// isNothing reports whether nothing was checked although something should have been.
func (f *validateFlags) isNothing(result *workspace.Result) bool {
	return f.hasNothing(result) && !f.configured.AllowEmpty
}

// hasNothing is like isNothing, but disregards allowEmpty of the configuration. A finding about a document without a
// schema counts as a check, but a finding that a chart cannot be rendered for lack of its dependencies does not.
func (f *validateFlags) hasNothing(result *workspace.Result) bool {
	s := result.Report.Summary
	checked := s.Valid + s.Invalid + s.Errors + s.Warnings + s.Infos + s.Suppressed
	return checked == unrendered(result) && len(result.Failures) == 0 && !f.allowEmpty && f.run.Files.Since == ""
}

// unrendered returns the number of charts that lack dependencies.
func unrendered(result *workspace.Result) int {
	n := 0
	for i := range result.Report.Violations {
		if result.Report.Violations[i].Rule == diag.MissingDependency {
			n++
		}
	}
	return n
}

// listDetails lists the outcome of each document and file.
func (f *validateFlags) listDetails(w io.Writer, result *workspace.Result) {
	render.Objects(w, result.Report.Objects)
	render.ListNotManifests(w, &result.Report)
	render.ListSwitchedOff(w, &result.Report)
	render.ListDiscovered(w, &result.Report)
	if result.Transitions > 0 {
		fmt.Fprintf(w, "%s not evaluated: no old object to compare with; use --old\n",
			count(result.Transitions, "update rule was", "update rules were"))
	}
}

// printTrouble prints which files could not be read, and which baseline entries no longer match.
func (f *validateFlags) printTrouble(w io.Writer, result *workspace.Result) {
	for _, failure := range result.Failures {
		fmt.Fprintln(w, "kindvet: "+render.Clean(failureText(failure)))
	}
	if result.Unmatched == nil {
		return
	}
	if n, _ := result.Unmatched.Len(); n > 0 {
		fmt.Fprintf(w, "kindvet: %s: %s no finding; run 'kindvet baseline prune'\n",
			render.Clean(f.run.Files.Baseline), count(n, "entry matches", "entries match"))
	}
}

// summarize prints the summary: the findings, and what was not checked and why. If there was nothing to check, it
// prints a separate line.
func (f *validateFlags) summarize(s *Streams, result *workspace.Result) {
	w, report, summary := s.Err, &result.Report, result.Report.Summary
	off := f.switchedOff(report)
	// Also without findings, a person who reads a log wants to know that something was checked.
	hasMore := len(report.Violations) > 0 || summary.Documents+summary.Unchanged+summary.Known > 0 || off != ""
	switch {
	case !f.isNothing(result) && (f.verbose || f.statistics || !f.quiet && hasMore):
		elapsed := f.elapsed
		if !s.ErrIsTerminal && !f.statistics { // without the time, logs are easier to compare
			elapsed = 0
		}
		fmt.Fprintln(w, render.Summary(summary, elapsed))
	case off != "": // a repository must not turn a check off silently
		fmt.Fprintln(w, off+"; see --verbose")
	}
	if !f.quiet {
		f.summarizeSkipped(w, result)
		if text := pipedNote(&result.Piped); text != "" && (f.verbose || len(report.Violations) > 0) {
			fmt.Fprintln(w, render.Clean(text))
		}
	}
	if text := notListed(summary); text != "" {
		fmt.Fprintln(w, "kindvet: "+text)
	}
}

// switchedOff describes what a repository may have turned off, which no run hides.
func (f *validateFlags) switchedOff(report *diag.Report) string {
	off := render.SwitchedOff(report.Summary)
	if skipped := render.SkippedObjects(report); skipped != "" && f.quiet &&
		(report.Summary.Documents > 0 || f.mayBeEmpty()) {
		return strings.TrimPrefix(off+", "+skipped, ", ")
	}
	return off
}

// mayBeEmpty reports whether a run without documents succeeds. Otherwise the reason is printed.
func (f *validateFlags) mayBeEmpty() bool {
	return f.allowEmpty || f.configured.AllowEmpty || f.run.Files.Since != ""
}

// summarizeSkipped prints what was not checked: one line per type.
func (f *validateFlags) summarizeSkipped(w io.Writer, result *workspace.Result) {
	report := &result.Report
	// Otherwise it is printed as the reason why nothing was checked.
	if report.Summary.Documents > 0 || f.mayBeEmpty() {
		for _, line := range render.NotManifests(report) {
			fmt.Fprintln(w, line)
		}
	}
	listHints(w, report, f.verbose)
	listTools(w, result.Tools)
	if !f.isForPeople() {
		return
	}
	if text := render.NotEvaluated(report, f.verbose); text != "" {
		fmt.Fprintln(w, text)
	}
	for _, line := range render.Policies(report, f.verbose) {
		fmt.Fprintln(w, line)
	}
}

// isForPeople reports whether a report is written as text. All other formats list the complete report.
func (f *validateFlags) isForPeople() bool {
	return slices.ContainsFunc(f.outputs, func(o output) bool { return o.format.Name == "text" })
}

// notListed describes what the report omits; "" if it lists everything.
func notListed(s diag.Summary) string {
	var what []string
	if n := s.Unlisted.Total(); n > 0 {
		what = append(what, diag.Count(n, "finding"))
	}
	if n := s.NotEvaluatedUnlisted; n > 0 {
		what = append(what, count(n, "rule that was not evaluated", "rules that were not evaluated"))
	}
	if len(what) == 0 {
		return ""
	}
	return strings.Join(what, " and ") + " counted but not listed; --max-findings lists more"
}

// failureText returns the message of an error without the system call, because the file and the reason are
// sufficient.
func failureText(err error) string {
	text := err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.Replace(text, path.Error(), path.Path+": "+path.Err.Error(), 1)
	}
	return text
}

func nothingToCheck(result *workspace.Result, paths []string) string {
	s := result.Report.Summary
	where := render.Clean(strings.Join(paths, ", "))
	if where == "-" {
		where = "standard input"
	}
	isPointer := func(v diag.Violation) bool { return v.Rule == diag.MissingDependency && v.Help == lfs.Help }
	switch {
	case slices.ContainsFunc(result.Report.Violations, isPointer):
		return "nothing to check in " + where + ": files are in Git LFS; " + lfs.Help
	case unrendered(result) > 0:
		return "nothing to check in " + where + ": " + diag.Count(unrendered(result), "chart") + " without dependencies"
	case s.Skipped > 0:
		return "nothing to check: no schema is known for " + diag.Count(s.Documents, "document") +
			"; pass CRDs with --schemas, or use --allow-empty"
	case len(result.Report.NotManifests) > 0:
		return "nothing to check in " + where + ": " + strings.Join(render.NotManifests(&result.Report), "; ")
	case s.Files == 0 && result.LeftOut > 0:
		return "nothing to check in " + where + ": the configuration or ignore files exclude all files; see --no-ignore"
	case s.Files == 0:
		return "nothing to check: no .yaml, .yml or .json file in " + where
	}
	return "nothing to check: no document in " + where
}
