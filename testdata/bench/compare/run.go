package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// run is what one run of a tool took.
type run struct {
	// cpu is the time of user and system on all processors.
	cpu, wall time.Duration
	// peak is the most resident memory in bytes; 0 where it cannot be known.
	peak int64
}

// run runs the task's tool, and reads what it prints through a pipe without keeping it. Its input has just been read,
// so that no tool has to wait for the disk.
func (t *task) run(path string) (run, error) {
	if err := readAll(path); err != nil {
		return run{}, err
	}
	c := t.command(path)
	var trouble bytes.Buffer
	c.Stdout, c.Stderr = discard{}, &limited{w: &trouble, left: 2000}
	start := time.Now()
	err := c.Run()
	wall := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return run{}, err
	}
	if have := c.ProcessState.ExitCode(); have != t.exit {
		return run{}, fmt.Errorf("%s %s: exit code %d, want %d\n%s", t.tool.name, path, have, t.exit, trouble.String())
	}
	return run{cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime(), wall: wall, peak: peak(c.ProcessState)}, nil
}

func (t *task) command(path string) *exec.Cmd {
	c := t.tool.command(path)
	if t.inside {
		c.Args, c.Dir = c.Args[:len(c.Args)-1], path
	}
	return c
}

// readAll reads a file, or all files in a directory. Links and pipes, which a repository may have, are not read.
func readAll(path string) error {
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		return errors.Join(err, f.Close())
	})
}

// discard is io.Discard as the command cannot recognise it: the tool writes to a pipe.
type discard struct{}

func (discard) Write(text []byte) (int, error) { return len(text), nil }

// limited keeps only the beginning of what is written to it.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(text []byte) (int, error) {
	n := min(len(text), l.left)
	l.left -= n
	if _, err := l.w.Write(text[:n]); err != nil {
		return 0, err
	}
	return len(text), nil
}
