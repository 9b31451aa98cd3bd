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
	// mostPatience is the default of [Streams.Patience]: the time in which another program must render its first
	// manifest. Without it, a program that waits for input would never end. Raise it if a program that downloads charts
	// needs longer.
	mostPatience = time.Minute
)

// impliedPath returns the path to check if the user gives none: standard input if it has data or mustBeStdin is set,
// otherwise the current directory. CI systems start programs with an empty pipe or one that is never closed. So a
// pipe may have no data, and the wait for data must be limited.
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
