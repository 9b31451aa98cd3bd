package fix

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// The errors of a file that was fixed in the git index only.
var (
	errOtherText = errors.New("fixed in the git index, but not in the working tree, which has another text there")
	errNoFile    = errors.New("fixed in the git index, but not in the working tree, which does not have the file")
)

// writeStaged writes the changes to the git index, and to those files of the working tree that have the same text at the
// edits. They are read before the index is written, so that little time is in between.
func (r *Result) writeStaged(ctx context.Context) (failures []error) {
	texts := map[string]map[string]string{}
	var tops []string
	files, errs := make([]*Change, len(r.Changes)), make([]error, len(r.Changes))
	for i := range r.Changes {
		c := &r.Changes[i]
		if texts[c.at.Top] == nil {
			texts[c.at.Top], tops = map[string]string{}, append(tops, c.at.Top)
		}
		texts[c.at.Top][c.at.Name] = c.After
		files[i], errs[i] = c.inWorkingTree(r.index.IsOmitted(c.at))
	}
	for _, top := range tops {
		if ctx.Err() != nil {
			break
		}
		if err := r.index.Write(ctx, top, texts[top]); err != nil {
			failures = append(failures, err)
			continue
		}
		for i := range r.Changes {
			switch c := &r.Changes[i]; {
			case c.at.Top != top:
			case errs[i] != nil:
				failures = append(failures, c.failure(errs[i]))
			case files[i] != nil:
				if err := files[i].Write(); err != nil {
					failures = append(failures, err)
				}
			}
		}
	}
	return failures
}

// inWorkingTree returns the change of the file in the working tree that a change of the index leads to; nil if there is none.
func (c *Change) inWorkingTree(isOmitted bool) (*Change, error) {
	path := c.at.File()
	stat, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isOmitted:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoFile
	case err != nil:
		return nil, err
	case !stat.Mode().IsRegular():
		return nil, errOtherText
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil {
		return nil, err
	}
	after, ok := alsoIn(string(text), c.Before, c.After)
	switch {
	case !ok || len(text) > maxText:
		return nil, errOtherText
	case after == string(text):
		return nil, nil
	}
	return &Change{Name: c.Name, Path: path, Before: string(text), After: after}, nil
}

// alsoIn makes a change also in another version of a text, if that has the same lines where the change is. Line endings do not
// matter: git may write others to the working tree. What the other version already has is not changed.
func alsoIn(other, before, after string) (string, bool) {
	lines := strings.SplitAfter(other, "\n")
	mine := hunks(unified("a", withLF(before), "b", withLF(after)))
	theirs := hunks(unified("a", withLF(before), "b", withLF(other)))
	for _, h := range slices.Backward(mine) {
		shift, isDone := 0, false
		for _, t := range theirs {
			switch {
			case t.old == h.old && slices.Equal(t.removed, h.removed) && slices.Equal(t.added, h.added):
				isDone = true
			case h.touches(t):
				return "", false
			case t.old < h.old || t.old == h.old && len(t.removed) == 0:
				shift += len(t.added) - len(t.removed)
			}
		}
		if isDone {
			continue
		}
		start := h.old - 1 + shift
		added := slices.Clone(h.added)
		near := start
		if len(h.removed) == 0 {
			near = max(0, start-1)
		}
		if strings.HasSuffix(lines[near], "\r\n") {
			for i, line := range added {
				added[i] = strings.Replace(line, "\n", "\r\n", 1)
			}
		}
		lines = slices.Replace(lines, start, start+len(h.removed), added...)
	}
	return strings.Join(lines, ""), true
}

func withLF(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// touches reports whether two changes of a text concern the same lines, or add lines at the same place.
func (h hunk) touches(t hunk) bool {
	end, otherEnd := h.old+len(h.removed), t.old+len(t.removed)
	switch {
	case h.old == end:
		return t.old <= h.old && h.old <= otherEnd
	case t.old == otherEnd:
		return h.old < t.old && t.old < end
	}
	return t.old < end && h.old < otherEnd
}
