package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/render"
)

// output is a report format and the file to write it to.
type output struct {
	format render.Format
	file   string // "" for standard output
}

// parseOutputs parses the values of --output: FORMAT or FORMAT=FILE. At most one may be for standard output.
func parseOutputs(values []string) ([]output, error) {
	var outputs []output
	files := map[string]bool{}
	for _, value := range values {
		name, file, hasFile := strings.Cut(value, "=")
		format, ok := render.Lookup(name)
		switch {
		case !ok:
			return nil, invalidValue("output", name, "use "+list(render.Names()))
		case hasFile && file == "":
			return nil, invalidValue("output", value, "add a file name after =")
		case file == "-":
			file = ""
		case file != "" && format.StdoutOnly:
			return nil, invalidValue("output", value, "GitHub reads this format from the log, so it cannot go to a file")
		}
		if files[file] {
			if file == "" {
				return nil,
					flagErrorf("output",
						"only one report can go to standard output; write the others to files, such as sarif=report.sarif")
			}
			return nil, flagErrorf("output", "two reports cannot go to %s", file)
		}
		files[file] = true
		dir := filepath.Dir(file)
		switch stat, err := os.Stat(dir); {
		case file == "":
		case os.IsNotExist(err):
			return nil, invalidValue("output", value, "the directory "+dir+" does not exist")
		case err != nil || !stat.IsDir():
			return nil, invalidValue("output", value, dir+" is not a directory")
		}
		outputs = append(outputs, output{format: format, file: file})
	}
	return outputs, nil
}

// list joins words with commas and a conjunction.
func list(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// writeReports writes all reports. Those for files are written first.
func writeReports(ctx context.Context, stdout io.Writer, outputs []output, r *diag.Report, o render.Options) error {
	outputs = slices.Clone(outputs)
	// Sort standard output last.
	slices.SortStableFunc(outputs, func(a, b output) int { return -strings.Compare(a.file, b.file) })
	for _, out := range outputs {
		if out.file == "" {
			if err := out.format.Render(stdout, r, o); err != nil {
				return err
			}
			continue
		}
		o := o
		o.Color = false
		err := writeFile(ctx, out.file, func(w io.Writer) error { return out.format.Render(w, r, o) })
		if err != nil {
			return fmt.Errorf("--output %s: %w", out.format.Name, err)
		}
	}
	return nil
}

// writeFile writes a file atomically: it writes a temporary file next to it and renames that when it is complete. If
// the name is not a regular file, such as a device, it writes to it directly.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	stat, err := os.Stat(name)
	if err == nil && !stat.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	mode := fs.FileMode(0o666) // the umask still applies
	if err == nil {
		mode = stat.Mode().Perm()
	}
	f, err := createTemporary(name, mode)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(f)
	err = errors.Join(write(buffered), buffered.Flush(), f.Close(), ctx.Err())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// createTemporary creates a file next to another one. The name is random, so a file left by a killed process does not
// block the next one. os.CreateTemp is not used because it sets mode 0600.
func createTemporary(name string, mode fs.FileMode) (*os.File, error) {
	for attempt := 0; ; attempt++ {
		unique := strconv.FormatUint(uint64(rand.Uint32()), 36)
		temporary := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+unique+".tmp")
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			path.Path = name // the user knows no other
		}
		if !errors.Is(err, fs.ErrExist) || attempt == mostAttempts {
			return f, err
		}
	}
}

// mostAttempts is how many names for a temporary file are tried before writing fails. A thousand random names
// are not taken by accident.
const mostAttempts = 1000
