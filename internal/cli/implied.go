package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	currentDirectory = "."
	// mostPatience is [Streams.Patience] unless it is set: the time that a program has to render its first manifest.
	mostPatience = time.Minute
)

// impliedPath returns what a command checks that is given no paths: standard input if it holds something or must be
// what is meant, otherwise the current directory. CI systems start programs with an empty pipe, and some with one
// that is never closed, so it neither trusts that a pipe has a text nor waits for one for ever.
func (s *Streams) impliedPath(mustBeStdin bool) (string, error) {
	switch {
	case mustBeStdin || s.InIsFile:
		return "-", nil
	case !s.InIsPipe:
		return currentDirectory, nil
	}
	in := bufio.NewReader(s.In)
	first := make(chan error, 1)
	go func() {
		_, err := in.Peek(1)
		first <- err
	}()
	select {
	case err := <-first:
		s.In = in
		switch {
		case err == io.EOF:
			fmt.Fprintln(s.Err, "kindvet: standard input is empty; checking the current directory")
			return currentDirectory, nil
		case err != nil:
			return "", fmt.Errorf("standard input: %w", err)
		}
		return "-", nil
	case <-time.After(cmp.Or(s.Patience, mostPatience)):
		return "", errors.New("no data on standard input yet; name a PATH, or use - to wait for it")
	}
}
