package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/testdata/bench"
)

// Of the small files so many are looked at one by one: of the sound ones each kind twice.
const (
	findingFiles = 400
	soundFiles   = 20
)

// compareFindings prints how many of the faults each tool finds, and sees to it that the measured work is done at
// all: kindvet finds every fault, the others every wrong type, and nobody finds one in a sound file or lacks a
// schema.
func compareFindings(w io.Writer, t tools, in bench.Inputs, inputs string) error {
	progress("looking at what each tool finds")
	for _, count := range in.Files {
		if err := seeShare(&t.kindvet, filepath.Join(inputs, bench.FilesDir(count)), count); err != nil {
			return err
		}
	}
	f := findings{tools: []*tool{&t.kindvet, &t.kubeconform, &t.kubectlValidate}}
	files := filepath.Join(inputs, bench.FilesDir(1000))
	for number := range findingFiles {
		fault := bench.FaultOf(number)
		if fault == bench.Sound && number >= soundFiles {
			continue
		}
		if err := f.look(filepath.Join(files, bench.FileName(number)), "a file", fault); err != nil {
			return err
		}
	}
	f.tools[0] = &t.kindvetStreams
	for _, s := range []struct {
		kind  bench.Workloads
		fault bench.Fault
	}{
		{bench.Plain, bench.Sound}, {bench.Plain, bench.WrongType}, {bench.Plain, bench.UnknownField},
		{bench.Ruled, bench.Sound}, {bench.Ruled, bench.WrongType}, {bench.Ruled, bench.UnknownField},
		{bench.Ruled, bench.FailedRule},
	} {
		name := filepath.Join(inputs, "stream-short.yaml")
		if err := writeShortStream(name, s.kind, s.fault); err != nil {
			return err
		}
		if err := f.look(name, "the last "+string(s.kind)+" of a stream", s.fault); err != nil {
			return err
		}
	}
	f.tools[0] = &t.kindvet
	for _, fault := range []bench.Fault{bench.Sound, bench.WrongType, bench.UnknownField, bench.DuplicateKey} {
		name := filepath.Join(inputs, "stream-short.yaml")
		if err := writeShortStream(name, bench.Kubernetes, fault); err != nil {
			return err
		}
		if err := f.look(name, "the last "+string(bench.Kubernetes)+" of a stream", fault); err != nil {
			return err
		}
	}
	f.write(w)
	return nil
}

func writeShortStream(name string, kind bench.Workloads, last bench.Fault) error {
	var text bytes.Buffer
	if err := bench.WriteStream(&text, bench.Seed, kind, 100, last); err != nil {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o644)
}

// seeShare sees to it that of so many files kindvet finds exactly those faulty that were made so, with one violation
// each.
func seeShare(kindvet *tool, dir string, count int) error {
	want := 0
	for number := range count {
		if bench.FaultOf(number) != bench.Sound {
			want++
		}
	}
	c := kindvet.command(dir)
	c.Args = append(c.Args, "--output", "json")
	s, err := summaryOf(c)
	if err != nil {
		return err
	}
	if s.Documents != count || s.Invalid != want || s.Errors != want {
		return fmt.Errorf("%s: kindvet finds %d violations in %d of %d documents; %d of %d were made faulty", dir,
			s.Errors, s.Invalid, s.Documents, want, count)
	}
	return nil
}

// summary is what a report in JSON says about all documents.
type summary struct{ Documents, Invalid, Errors int }

// summaryOf runs kindvet with a report in JSON. It is an error if kindvet could not work.
func summaryOf(c *exec.Cmd) (summary, error) {
	text, err := c.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() != 1 {
		return summary{}, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, exit.Stderr)
	} else if err != nil && exit == nil {
		return summary{}, err
	}
	var report struct{ Summary summary }
	if err := json.Unmarshal(text, &report); err != nil {
		return summary{}, fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return report.Summary, nil
}

// findings count the faults that were made and found.
type findings struct {
	tools []*tool
	rows  []finding
}

// finding is a sort of fault, and how many of it each tool found.
type finding struct {
	where string
	fault bench.Fault
	made  int
	found [3]int
}

// look has each tool check a path that has a fault, or none.
func (f *findings) look(path, where string, fault bench.Fault) error {
	for i, t := range f.tools {
		faulty, err := t.finds(path)
		switch {
		case err != nil:
			return err
		case faulty && fault == bench.Sound:
			return fmt.Errorf("%s finds a fault in %s, which is sound", t.name, path)
		case !faulty && (fault == bench.WrongType || fault != bench.Sound && i == 0):
			return fmt.Errorf("%s does not find %s in %s", t.name, fault.Rule(), path)
		case fault == bench.Sound:
			continue
		}
		row := f.row(where, fault)
		if i == 0 {
			row.made++
		}
		if faulty {
			row.found[i]++
		}
	}
	return nil
}

func (f *findings) row(where string, fault bench.Fault) *finding {
	for i := range f.rows {
		if f.rows[i].where == where && f.rows[i].fault == fault {
			return &f.rows[i]
		}
	}
	f.rows = append(f.rows, finding{where: where, fault: fault})
	return &f.rows[len(f.rows)-1]
}

func (f *findings) write(w io.Writer) {
	fmt.Fprintln(w, "| fault | in | made | kindvet | kubeconform | kubectl-validate |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, r := range f.rows {
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d |\n", r.fault.Rule(), r.where, r.made, r.found[0], r.found[1],
			r.found[2])
	}
	fmt.Fprintln(w)
}

// finds runs a tool, and says whether it found a fault. It is an error when the tool could not judge.
func (t *tool) finds(path string) (bool, error) {
	c := t.command(path)
	text, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return false, fmt.Errorf("%s %s: %w\n%s", t.name, path, err, text)
	}
	if t.missing != "" && bytes.Contains(text, []byte(t.missing)) {
		return false, fmt.Errorf("%s lacks a schema for %s:\n%s", t.name, path, text)
	}
	return err != nil, nil
}
