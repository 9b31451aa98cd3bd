package mutants

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Options says which breaks are tried, with which tests.
type Options struct {
	All      bool           // run the tests of all packages on the breaks that the own tests miss
	Only     *regexp.Regexp // names of breaks
	Packages []string       // below internal; none for all
	Dir      string         // keeps the patched files and test programs for the next call; if empty, they are removed
}

// The shares of breaks that tests must see. Below these, tests are missing.
const (
	leastOwn = 85 // percent, by the tests of the package itself
	leastAll = 95 // percent, by all tests
)

// The limits of a test process, since a break may be a loop without an end. Programs that a test starts have limits of
// the same size.
const (
	mostMemory = 8_000_000 // KiB of address space
	mostTime   = time.Minute
	mostTimes  = 10               // in addition, of the time without a break: the machine may be busy
	mostWhole  = 20 * time.Minute // without a break
)

// A runner builds test programs with breaks and runs them.
type runner struct {
	root, dir string              // the module, and where patched files and test programs are
	breaks    []mutant            // those that are compiled
	built     map[string]*program // by import path
}

// A program is the test program of a package.
type program struct {
	path, dir string
	takes     time.Duration // without a break
}

// An outcome says which tests see a break.
type outcome struct {
	mutant
	own    string // the first test of the package that fails, or ""
	others string // of another package, with its name
}

// Try tries breaks and prints a report. It is an error if the tests miss too many of them, or fail without a break.
func Try(o Options) error {
	root, err := output(exec.Command("go", "list", "-m", "-f", "{{.Dir}}"))
	if err != nil {
		return err
	}
	list, err := readBreaks(filepath.Join(root, "internal", "test", "mutants", "breaks"))
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(m mutant) bool {
		return !o.Only.MatchString(m.name) || len(o.Packages) > 0 && !slices.Contains(o.Packages, m.pkg())
	})
	if len(list) == 0 {
		return errors.New("no break matches")
	}
	if o.Dir == "" {
		o.Dir, err = os.MkdirTemp("", "mutants")
		if err != nil {
			return err
		}
		defer os.RemoveAll(o.Dir)
	}
	r := &runner{root: root, dir: o.Dir, breaks: list, built: map[string]*program{}}
	if err := r.write(); err != nil {
		return err
	}
	outcomes, err := r.own()
	if err == nil && o.All {
		err = r.others(outcomes)
	}
	if err != nil {
		return err
	}
	return report(outcomes, o.All)
}

// write writes the patched files, and an overlay that replaces the files of the module by them.
func (r *runner) write() error {
	replace := map[string]string{}
	put := func(file, text string) error {
		name := filepath.Join(r.dir, "files", strings.ReplaceAll(file, "/", "+"))
		replace[filepath.Join(r.root, "internal", filepath.FromSlash(file))] = name
		return os.WriteFile(name, []byte(text), 0o644)
	}
	if err := os.MkdirAll(filepath.Join(r.dir, "files"), 0o755); err != nil {
		return err
	}
	byFile, byPackage := map[string][]mutant{}, map[string][]mutant{}
	for _, m := range r.breaks {
		byFile[m.file] = append(byFile[m.file], m)
		byPackage[m.pkg()] = append(byPackage[m.pkg()], m)
	}
	for file, breaks := range byFile {
		text, err := os.ReadFile(filepath.Join(r.root, "internal", filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		patched, err := patch(file, string(text), breaks)
		if err != nil {
			return err
		}
		if err := put(file, patched); err != nil {
			return err
		}
	}
	for pkg, breaks := range byPackage {
		if err := put(pkg+"/mutant_switches.go", switches(path.Base(pkg), r.active(), breaks)); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(r.overlay(), overlay, 0o644)
}

func (r *runner) overlay() string { return filepath.Join(r.dir, "overlay.json") }

// active returns the file that has the name of the break that is on.
func (r *runner) active() string { return filepath.Join(r.dir, "active") }

// own runs the tests of each package on its breaks.
func (r *runner) own() ([]outcome, error) {
	var list []outcome
	for _, m := range r.breaks {
		p, err := r.program("github.com/kindvet/kindvet/internal/" + m.pkg())
		if err != nil {
			return nil, err
		}
		test, err := r.try(p, m)
		if err != nil {
			return nil, err
		}
		fmt.Printf("%-32s %s\n", m.name, seen(test))
		list = append(list, outcome{mutant: m, own: test})
	}
	return list, nil
}

func seen(test string) string {
	if test == "" {
		return "SURVIVED"
	}
	return test
}

// others runs the tests of all other packages that use a broken package, the fast ones first, until one sees the break.
func (r *runner) others(outcomes []outcome) error {
	users, err := r.users()
	if err != nil {
		return err
	}
	for i := range outcomes {
		o := &outcomes[i]
		if o.own != "" {
			continue
		}
		of := "github.com/kindvet/kindvet/internal/" + o.pkg()
		var programs []*program
		for pkg, uses := range users {
			if pkg == of || !slices.Contains(uses, of) {
				continue
			}
			p, err := r.program(pkg)
			if err != nil {
				return err
			}
			programs = append(programs, p)
		}
		slices.SortFunc(programs, func(a, b *program) int { return int(a.takes - b.takes) })
		for _, p := range programs {
			test, err := r.try(p, o.mutant)
			if err != nil {
				return err
			}
			if test != "" {
				rel, _ := filepath.Rel(r.root, p.dir)
				o.others = filepath.ToSlash(rel) + " " + test
				break
			}
		}
		fmt.Printf("%-32s elsewhere: %s\n", o.name, seen(o.others))
	}
	return nil
}

// users returns the packages with tests, and all packages of the module that each test program contains.
func (r *runner) users() (map[string][]string, error) {
	list := exec.Command("go", "list", "-test", "-f", `{{.ImportPath}}{{range .Deps}},{{.}}{{end}}`, "./...")
	list.Dir = r.root
	text, err := output(list)
	if err != nil {
		return nil, err
	}
	users := map[string][]string{}
	for line := range strings.Lines(text) {
		words := strings.Split(strings.TrimSpace(line), ",")
		pkg, ok := strings.CutSuffix(words[0], ".test")
		if !ok {
			continue
		}
		for _, dep := range words[1:] {
			dep, _, _ = strings.Cut(dep, " ") // "PACKAGE [PACKAGE.test]"
			users[pkg] = append(users[pkg], dep)
		}
	}
	return users, nil
}

// program builds the test program of a package, and runs it without a break.
func (r *runner) program(pkg string) (*program, error) {
	if p, ok := r.built[pkg]; ok {
		return p, nil
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(pkg, "github.com/kindvet/kindvet"), "/")
	p := &program{
		path: filepath.Join(r.dir, strings.ReplaceAll(rel, "/", "+")+".test"),
		dir:  filepath.Join(r.root, filepath.FromSlash(rel)),
	}
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", r.overlay(), "-o", p.path, pkg)
	build.Dir = r.root
	if _, err := output(build); err != nil {
		return nil, err
	}
	began := time.Now()
	test, err := r.try(p, mutant{})
	if err == nil && test != "" {
		err = fmt.Errorf("%s: %s fails without a break", rel, test)
	}
	p.takes = time.Since(began)
	r.built[pkg] = p
	return p, err
}

// try runs a test program with a break, and returns the first test that fails.
func (r *runner) try(p *program, m mutant) (string, error) {
	if err := os.WriteFile(r.active(), []byte(m.name), 0o644); err != nil {
		return "", err
	}
	limit := mostTime + mostTimes*p.takes
	if m.name == "" {
		limit = mostWhole
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	limits := fmt.Sprintf(`ulimit -v %d; ulimit -t %d; exec "$0" "$@"`, mostMemory,
		int(limit.Seconds())*runtime.NumCPU())
	run := exec.CommandContext(ctx, "sh", "-c", limits, p.path, "-test.failfast", "-test.short")
	run.Dir = p.dir
	run.WaitDelay = time.Second
	run.Env = append(os.Environ(), "GOFLAGS=-overlay="+r.overlay()) // some tests build the program
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	err := run.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "no end", nil
	case !errors.As(err, &exit):
		return "", err
	}
	if found := regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`).FindAllSubmatch(out.Bytes(), -1); found != nil {
		return string(found[len(found)-1][1]), nil
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return cmp.Or(line, exit.String()), nil // a process that is killed may print nothing
}

// output returns what a command prints, without the last line break.
func output(c *exec.Cmd) (string, error) {
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, errs.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// report prints the survivors and a table of the packages. It is an error if tests see too few of the breaks.
func report(outcomes []outcome, all bool) error {
	type count struct{ listed, own, others int }
	var total count
	counts := map[string]count{}
	var names []string
	for _, o := range outcomes {
		c, ok := counts[o.pkg()]
		if !ok {
			names = append(names, o.pkg())
		}
		c.listed++
		total.listed++
		switch {
		case o.own != "":
			c.own++
			total.own++
		case o.others != "":
			c.others++
			total.others++
		}
		counts[o.pkg()] = c
	}
	fmt.Println()
	for _, o := range outcomes {
		if o.own == "" && o.others == "" {
			fmt.Printf("survived: %s (%s): %s\n", o.name, o.file, o.harm)
		}
	}
	slices.Sort(names)
	fmt.Printf("\n%-18s %6s %6s %10s %9s\n", "package", "breaks", "own", "elsewhere", "survived")
	for _, name := range append(names, "all") {
		c := counts[name]
		if name == "all" {
			c = total
		}
		fmt.Printf("%-18s %6d %6d %10d %9d\n", name, c.listed, c.own, c.others, c.listed-c.own-c.others)
	}
	own, both := total.own*100/total.listed, (total.own+total.others)*100/total.listed
	fmt.Printf("\nlimits of a test process: %d MB of memory, %v and %d times its time without a break\n",
		mostMemory/1000, mostTime, mostTimes)
	fmt.Printf("own tests see %d%%", own)
	if all {
		fmt.Printf(", all tests %d%%", both)
	}
	fmt.Println()
	if own < leastOwn || all && both < leastAll {
		return fmt.Errorf("tests must see at least %d%% of the breaks of their package, and all tests %d%%",
			leastOwn, leastAll)
	}
	return nil
}
