package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// maxRepositories is how many directories one run measures. It is an error if there are more: a wrong -repositories,
// such as a home directory, then does not take hours.
const maxRepositories = 100

// repositoryWork is kindvet, and maybe another kindvet, on a repository of the user.
type repositoryWork struct {
	work
	commit string
	// documents are how many each program reports.
	documents []int
}

// compareRepositories measures kindvet with lint rules on each repository in a directory, in turn with the other
// program if there is one, and prints a table. It fetches nothing: the repositories are as the user has them.
func (o *options) compareRepositories(w io.Writer, repository string) error {
	names, err := repositoriesIn(o.repositories, o.only)
	if err != nil {
		return err
	}
	kindvet, err := installKindvet(repository, o.cache)
	if err != nil {
		return err
	}
	programs := []tool{kindvet}
	if o.other != "" {
		other := kindvet
		other.name = filepath.Base(o.other)
		if other.program, err = filepath.Abs(o.other); err != nil {
			return err
		}
		programs = append(programs, other)
	}
	raw, err := o.openRaw()
	if err != nil {
		return err
	}
	defer raw.Close()
	writeRepositoryHeads(w, kindvet.version, o.rounds)
	for _, name := range names {
		r, err := newRepositoryWork(programs, o.repositories, name)
		if err != nil {
			return err
		}
		m, err := r.measure(o.rounds, o.repositories)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.writeRows(w, m)
		if err := m.writeRaw(raw); err != nil {
			return err
		}
	}
	return nil
}

// repositoriesIn returns the names of the directories in a directory, in order, without hidden ones and links.
func repositoriesIn(dir string, only *regexp.Regexp) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && only.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%s: no directory to measure", dir)
	case len(names) > maxRepositories:
		return nil, fmt.Errorf("%s: %d directories, more than %d: choose some with -work", dir, len(names), maxRepositories)
	}
	return names, nil
}

// newRepositoryWork runs each program once to learn how many documents it finds and how it exits.
func newRepositoryWork(programs []tool, dir, name string) (repositoryWork, error) {
	path := filepath.Join(dir, name)
	r := repositoryWork{work: work{name: name}, commit: commitOf(path)}
	for _, p := range programs {
		p.before = []string{"validate", "."}
		t := task{tool: p, path: name, inside: true}
		c := t.command(path)
		c.Args = slices.Concat(c.Args, []string{"--output", "json"})
		s, err := summaryOf(c)
		if err != nil {
			return repositoryWork{}, fmt.Errorf("%s: %w", name, err)
		}
		t.exit = c.ProcessState.ExitCode()
		r.tasks, r.documents = append(r.tasks, t), append(r.documents, s.Documents)
	}
	return r, nil
}

// commitOf returns the commit of a working tree, with "-dirty" if it has changed files.
func commitOf(dir string) string {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); errors.Is(err, os.ErrNotExist) {
		return "not git" // it may be in a working tree of something else
	}
	commit, err := output(dir, "git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
	if err != nil {
		return "not known"
	}
	return commit
}

// writeRepositoryHeads writes what the figures are, and the names of the columns.
func writeRepositoryHeads(w io.Writer, version string, rounds int) {
	fmt.Fprintf(w, "%s, %s/%s with %d processors, %s; kindvet %s.\n"+
		"With lint rules. Least CPU time and median peak of %d rounds in turn after a warm-up; ratios of these times.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(),
		version, rounds)
	fmt.Fprintln(w, "| repository | commit | program | documents | CPU s | peak MiB | CPU, relative to kindvet |")
	fmt.Fprintln(w, "|---|---|---|---:|---:|---:|---:|")
}

// writeRows writes a row for each program. Of the CPU times it has the least: repositories take seconds, in which
// other processes disturb most rounds of a shared machine.
func (r *repositoryWork) writeRows(w io.Writer, m measured) {
	name, commit := r.name, r.commit
	first := m.least(0)
	for i, t := range r.tasks {
		ratio := "1"
		if i > 0 {
			ratio = figure(m.least(i) / first)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", name, commit, t.tool.name, thousands(r.documents[i]),
			figure(m.least(i)), m.peakOf(i), ratio)
		name, commit = "", ""
	}
}

// least is the least CPU time of a task's runs in seconds.
func (m *measured) least(i int) float64 {
	return slices.MinFunc(m.runs[i], func(a, b run) int { return int(a.cpu - b.cpu) }).cpuSeconds()
}
