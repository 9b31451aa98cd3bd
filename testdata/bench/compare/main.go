// Compare measures kindvet beside its peers on the inputs of package bench, and prints the table of the README.
//
// It builds kindvet from the working tree, installs the peers at pinned versions through the Go module proxy, gives
// each its schemas in its own form, sees what each finds, and runs them in turn on the same files: one round is one
// run of each. CPU time is what the kernel counted for the whole process; ratios are taken inside a round, since
// rounds differ more than tools do on a shared machine.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/testdata/bench"
)

func main() {
	o := options{inputs: bench.Published()}
	if err := o.parse(); err != nil {
		fail(err)
	}
	if err := o.compare(os.Stdout); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "compare: "+err.Error())
	os.Exit(2)
}

// options say what to compare.
type options struct {
	rounds int
	cache  string
	raw    string
	only   *regexp.Regexp
	inputs bench.Inputs
	// repositories is the directory of the repositories to measure kindvet on, and other a second kindvet for that;
	// both may be "".
	repositories, other string
}

func (o *options) parse() error {
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each piece of work, after one warm-up")
	flag.StringVar(&o.cache, "cache", "",
		"`FOLDER` of the programs and the inputs (default kindvet-bench in the user's cache folder)")
	flag.StringVar(&o.raw, "raw", "", "`FILE` for the figures of each run, separated by tabs")
	only := flag.String("work", "", "`REGEXP` of the pieces of work, or of the repositories, to measure (default all)")
	flag.StringVar(&o.repositories, "repositories", "",
		"measure only kindvet, on each directory in `DIR`, instead of the generated inputs")
	flag.StringVar(&o.other, "other", "", "another kindvet `PROGRAM` to measure in turn; needs -repositories")
	flag.IntVar(&o.inputs.Documents, "documents", o.inputs.Documents, "documents in a stream")
	flag.IntVar(&o.inputs.Times, "times", o.inputs.Times, "how many times as long the long stream is; 0 leaves it out")
	flag.Parse()
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("no arguments are taken, found %q", flag.Arg(0))
	case o.rounds < 1:
		return fmt.Errorf("-rounds: %d is less than 1", o.rounds)
	case o.inputs.Documents < 10:
		return fmt.Errorf("-documents: %d is less than 10", o.inputs.Documents)
	case o.other != "" && o.repositories == "":
		return fmt.Errorf("-other needs -repositories")
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return fmt.Errorf("-work: %w", err)
	}
	if o.cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("name a folder with -cache: %w", err)
		}
		o.cache = filepath.Join(dir, "kindvet-bench")
	}
	o.cache, err = filepath.Abs(o.cache)
	return err
}

func (o *options) compare(w io.Writer) error {
	repository, err := output("", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	if o.repositories != "" {
		return o.compareRepositories(w, repository)
	}
	inputs := filepath.Join(o.cache, "inputs")
	if err := o.generate(repository, inputs); err != nil {
		return err
	}
	t, err := install(repository, o.cache, inputs)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, heading(t, o.rounds))
	if err := compareFindings(w, t, o.inputs, inputs); err != nil {
		return err
	}
	raw, err := o.openRaw()
	if err != nil {
		return err
	}
	defer raw.Close()
	writeHeads(w)
	for _, work := range works(t, o.inputs) {
		if !o.only.MatchString(work.name) {
			continue
		}
		m, err := work.measure(o.rounds, inputs)
		if err != nil {
			return fmt.Errorf("%s: %w", work.name, err)
		}
		m.writeRows(w)
		if err := m.writeRaw(raw); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "\nkubeconform evaluates no CEL rules. kubectl-validate takes no List.")
	return nil
}

// openRaw returns the file for the figures of each run, with its heading. Without -raw, it keeps nothing.
func (o *options) openRaw() (*os.File, error) {
	f, err := os.Create(cmp.Or(o.raw, os.DevNull))
	if err != nil {
		return nil, err
	}
	// The times of a task that was given a fraction are as measured.
	fmt.Fprintln(f, "work\ttool\tround\tcpu_seconds\twall_seconds\tpeak_bytes\tmultiply_by")
	return f, nil
}

// generate writes the inputs in a process of its own: the peak memory of a measured process is never less than that
// of its parent.
func (o *options) generate(repository, inputs string) error {
	progress("writing inputs to %s", inputs)
	_, err := output(repository, "go", "run", "./testdata/bench/generate", "-folder", inputs,
		"-documents", strconv.Itoa(o.inputs.Documents), "-times", strconv.Itoa(o.inputs.Times))
	return err
}

// output runs a command that must succeed, and returns what it printed.
func output(dir, name string, arguments ...string) (string, error) {
	c := exec.Command(name, arguments...)
	c.Dir, c.Stderr = dir, os.Stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}

func progress(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, "compare: "+format+"\n", arguments...)
}
