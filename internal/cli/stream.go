package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/krm"
	"github.com/kindvet/kindvet/internal/manifest"
)

// isStdin reports whether standard input is the only path.
func isStdin(paths []string) bool { return slices.Equal(paths, []string{"-"}) }

// passThrough checks standard input in a pipeline. If the check succeeds, it copies the input byte for byte to
// standard output; otherwise it writes nothing there. The report goes to standard error.
func passThrough(s *Streams, paths []string, check func(*Streams) error) error {
	if !isStdin(paths) {
		return flagErrorf("passthrough", "only checks standard input; remove PATH, or use -")
	}
	text, err := s.readAll(s.In, "the limit of --passthrough; write it to a file and validate the file")
	if err != nil {
		return err
	}
	inner := *s
	inner.In, inner.Out, inner.OutIsTerminal = bytes.NewReader(text), s.Err, s.ErrIsTerminal
	if err := check(&inner); err != nil {
		return err
	}
	_, err = s.Out.Write(text)
	return err
}

// defaultMaxInput is the default of [Streams.MaxInput]. It is the maximum size of a document.
const defaultMaxInput = manifest.MaxPart

// readAll reads all of standard input. The error uses limit to describe the limit.
func (s *Streams) readAll(in io.Reader, limit string) ([]byte, error) {
	most := cmp.Or(s.MaxInput, defaultMaxInput)
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("standard input is larger than %d bytes, %s", most, limit)
	}
	return text, nil
}

// startSize is how many bytes of standard input are examined to detect its format.
const startSize = 512

// readResourceList reads standard input if it is a ResourceList. Otherwise it leaves all of the input readable.
func readResourceList(s *Streams) (krm.List, bool, error) {
	in := bufio.NewReader(s.In)
	start, err := in.Peek(startSize)
	if err != nil && err != io.EOF {
		return krm.List{}, false, err
	}
	s.In = in
	if !krm.MayStart(string(start)) {
		return krm.List{}, false, nil
	}
	text, err := s.readAll(in, "the limit of a ResourceList; split it")
	if err != nil {
		return krm.List{}, false, err
	}
	s.In = bytes.NewReader(text)
	list, ok := krm.Read(string(text))
	return list, ok, nil
}

// answerOrReport checks standard input. If the input is a ResourceList, it writes the list with the results to
// standard output and the report to standard error. It is not an error if nothing in the list can be checked.
func (f *validateFlags) answerOrReport(c *cobra.Command, s *Streams, paths []string) error {
	inner := *s
	list, ok, err := readResourceList(&inner)
	if err != nil {
		return err
	}
	if ok {
		inner.Out, inner.OutIsTerminal = s.Err, s.ErrIsTerminal
		f.allowEmpty = true
		f.answer = func(r *diag.Report) error {
			_, err := io.WriteString(s.Out, list.Answer(r.Violations))
			return err
		}
	}
	return f.report(c, &inner, paths)
}
