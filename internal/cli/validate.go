package cli

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/workspace"
)

// validateFlags are the values of the flags of validate.
type validateFlags struct {
	output         []string
	outputs        []output
	oneLine        bool
	showSuppressed bool
	junit          string
	failOn         string
	flagFloor      diag.Severity      // the severity that failOn names; 0 for never
	floor          diag.Severity      // the same, unless the configuration sets another
	configured     workspace.Defaults // the settings of the configuration that no flag overrides
	color          string
	quiet          bool
	verbose        bool
	allowEmpty     bool
	statistics     bool
	passthrough    bool
	answer         func(*diag.Report) error // writes the response to a ResourceList; nil if the input is not one
	elapsed        time.Duration
	fix            fixFlags
	fixed          *fixed // nil without --fix
	runFlags
}

func validateCommand(s *Streams) *cobra.Command {
	f := &validateFlags{}
	c := &cobra.Command{
		Use:        "validate [PATH...]",
		SuggestFor: []string{"lint", "check"},
		Short:      "Validate manifests and print findings with file, line and column",
		Long: `Validate manifests and print findings with file, line and column.

PATH is a file, a directory (searched for .yaml, .yml and .json), a glob, or - for standard input. Without PATH, kindvet checks piped
standard input or, if there is none, the current directory. A ResourceList on standard input, as in a KRM function pipeline, is written to
standard output with the results. The report then goes to standard error. To get only a report, set --output.

Settings come from the nearest .kindvet.yaml of each file. Environment variables override them, for example KINDVET_FAIL_ON for --fail-on,
and flags override both.

Exit codes: 0 for no findings at or above --fail-on, 1 for findings, 2 if kindvet failed: invalid usage, unreadable files, or nothing to
check.`,
		Example: `  kindvet validate
  kindvet validate deploy/
  kindvet validate -o json 'apps/**/*.yaml' > report.json
  helm template . | kindvet validate --stdin-filename chart.yaml -
  kustomize build . | kindvet validate --passthrough - > good.yaml
  kindvet validate --schemas crds/ manifests/
  kindvet validate --old HEAD deploy/
  kindvet validate -o text -o sarif=kindvet.sarif -o junit=junit.xml deploy/
  kindvet validate --baseline known.json deploy/
  kindvet validate --staged`,
		RunE: func(c *cobra.Command, args []string) error {
			return completeFlags(c, s, c.Flags(), func() error { return f.validate(c, s, args) })
		},
	}
	f.register(c)
	return c
}

func (f *validateFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&f.output, "output", "o", []string{"text"},
		"`FORMAT[=FILE]` of the report, to standard output or a file (repeatable): "+list(render.Names()))
	flags.BoolVar(&f.oneLine, "one-line", false, "text: print one line per finding, without excerpt and help")
	flags.BoolVar(&f.showSuppressed, "show-suppressed", false, "text: also print suppressed findings")
	flags.StringVar(&f.junit, "junit-dialect", string(render.JUnitGitLab), "junit: `DIALECT` to write: gitlab, github or jenkins")
	flags.StringVar(&f.run.Files.Old, "old", "",
		"validate updates of the objects in a git `REVISION`, file or directory, matched by kind, namespace and name")
	flags.BoolVar(&f.run.Files.Staged, "staged", false,
		"check the git index instead of the working tree; without PATH, the files that a commit would change")
	flags.StringVar(&f.run.Files.Since, "since", "",
		"only check objects changed since the merge base of `REVISION` and HEAD")
	flags.StringVar(&f.run.Files.Baseline, "baseline", "",
		"`FILE` of known findings to suppress, instead of the .kindvet-baseline.json next to the configuration; none disables it")
	flags.BoolVar(&f.run.Check.KeepSuppressed, "no-suppressions", false, "ignore suppressions in comments and annotations")
	flags.IntVar(&f.run.Check.MaxFindings, "max-findings", 1000,
		"`NUMBER` of findings to list per file, and ten times as many in total (0: no limit)")
	flags.StringVar(&f.failOn, "fail-on", "error", "lowest `SEVERITY` that fails the run: error, warning, info or never")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "exit with 0 if there is nothing to check")
	flags.StringVar(&f.color, "color", "auto", "`WHEN` to color the report: auto, always or never")
	flags.BoolVarP(&f.quiet, "quiet", "q", false,
		"print no summary, except for excluded files, skipped objects, suppressed findings and replaced kinds")
	flags.BoolVar(&f.statistics, "statistics", false, "print the number of findings per rule to standard error")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print the result for each document to standard error")
	flags.BoolVar(&f.passthrough, "passthrough", false,
		"copy standard input to standard output if the check succeeds; reports go to standard error")
	f.fix.register(c)
	f.runFlags.register(c)
}

func (f *validateFlags) validate(c *cobra.Command, s *Streams, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.applyDefaults(c.Flags()); err != nil {
		return err
	}
	if name := f.chart.manifest; name != "" && len(paths) == 0 { // as -f names manifests for kubectl
		return fmt.Errorf("--values: %s is a manifest; to validate it, use 'kindvet validate %s'", name, name)
	}
	if f.passthrough && len(paths) == 0 {
		paths = []string{"-"}
	}
	f.allowEmpty = f.allowEmpty || f.run.Files.Staged && len(paths) == 0 // a commit need not change a manifest
	paths, err := f.setInput(s, paths)
	if err != nil {
		return err
	}
	if f.passthrough {
		return passThrough(s, paths, func(inner *Streams) error { return f.report(c, inner, paths) })
	}
	if f.fix.isOn {
		return f.fixAndReport(c, s, paths)
	}
	if isStdin(paths) && !c.Flags().Changed("output") {
		return f.answerOrReport(c, s, paths)
	}
	return f.report(c, s, paths)
}

// applyDefaults sets flags that are not set by the user or the environment from the configuration. The configuration
// may choose a format for standard output, but never a file to write, because the repository may be untrusted.
func (f *validateFlags) applyDefaults(flags *pflag.FlagSet) error {
	d, err := workspace.ReadDefaults(f.run)
	if err != nil {
		return err
	}
	f.configured = d
	if d.FailOn != "" && !flags.Changed("fail-on") {
		f.floor, _ = failSeverity(d.FailOn)
	}
	if d.Output != "" && !flags.Changed("output") {
		if f.outputs, err = parseOutputs([]string{d.Output}); err != nil {
			return err
		}
	}
	if flags.Changed("allow-empty") {
		f.configured.AllowEmpty = false
	}
	if !flags.Changed("baseline") {
		f.run.Files.Baseline, f.run.Report.IsBaselineAbove = d.Baseline, d.IsAbove
	}
	if f.run.Files.Baseline == "none" {
		f.run.Files.Baseline = ""
	}
	return nil
}

// report runs the check and writes its reports.
func (f *validateFlags) report(c *cobra.Command, s *Streams, paths []string) error {
	colored, err := wantsColor(f.color, s.OutIsTerminal, s.Getenv)
	if err != nil {
		return err
	}
	f.run.Stdin, f.run.Check.Objects = s.In, f.verbose
	for _, o := range f.outputs {
		f.run.Check.Objects = f.run.Check.Objects || o.format.Objects
		f.run.Report.LineHashes = f.run.Report.LineHashes || o.format.LineHashes
	}
	started := s.Now()
	result, err := f.runWatched(c.Context(), s, f.runOrFix)
	if err != nil {
		return err
	}
	f.elapsed = s.Now().Sub(started)
	if f.answer != nil {
		if err := f.answer(&result.Report); err != nil {
			return err
		}
	}
	if err := writeReports(c.Context(), s.Out, f.outputs, &result.Report, f.renderOptions(colored)); err != nil {
		return err
	}
	return f.conclude(s, &result, paths)
}

// failSeverity returns the lowest severity that makes the run fail. For never it returns 0, so nothing fails.
func failSeverity(name string) (diag.Severity, bool) {
	if name == "never" {
		return 0, true
	}
	return diag.ParseSeverity(name)
}

func (f *validateFlags) check() error {
	var err error
	if f.outputs, err = parseOutputs(f.output); err != nil {
		return err
	}
	if !slices.Contains(render.JUnitDialects, render.JUnitDialect(f.junit)) {
		return invalidValue("junit-dialect", f.junit, "use gitlab, github or jenkins")
	}
	var ok bool
	if f.flagFloor, ok = failSeverity(f.failOn); !ok {
		return invalidValue("fail-on", f.failOn, "use error, warning, info or never")
	}
	f.floor = f.flagFloor
	if f.run.Check.MaxFindings < 0 {
		return invalidValue("max-findings", strconv.Itoa(f.run.Check.MaxFindings), "must not be negative")
	}
	if err := f.fix.check(f); err != nil {
		return err
	}
	return f.runFlags.check()
}

func (f *validateFlags) renderOptions(colored bool) render.Options {
	return render.Options{
		Color: colored, OneLine: f.oneLine, ShowSuppressed: f.showSuppressed, Verbose: f.verbose, Version: versionText(),
		FailOn: f.floor, JUnit: render.JUnitDialect(f.junit), RepositoryPath: f.repositoryPath(),
	}
}

// repositoryPath returns a function that maps the name of a file in the report to its path in its repository.
func (f *validateFlags) repositoryPath() func(name string) (string, bool) {
	var repositories git.Finder
	return func(name string) (string, bool) { return repositories.Path(f.run.Files.Base.Abs(name)) }
}
