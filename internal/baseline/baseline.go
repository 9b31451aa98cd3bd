// Package baseline holds the findings that a repository had when it adopted kindvet: they are recorded, and only
// new ones count.
//
// A violation is known again by its fingerprint, which is made of its rule, its object and its path: text may be
// moved, within a file or to another, and the baseline holds. Of violations that are alike the baseline knows how
// many there were.
package baseline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// version is the number of the file format; a file of another one is rejected.
const version = 1

// Baseline is a list of violations, sorted by object, path and rule.
type Baseline struct {
	entries []Entry
}

// Entry stands for one violation, or several that are alike.
type Entry struct {
	Rule diag.Rule `json:"rule"`
	// Object and Path say for people what the fingerprint is of, File where it was.
	Object      string `json:"object,omitempty"`
	Path        string `json:"path,omitempty"`
	File        string `json:"file"`
	Fingerprint string `json:"fingerprint"`
	// Count is how many violations are alike.
	Count int `json:"count"`

	place source.Place
}

// Make records violations, those that count and those that an older baseline has accepted.
func Make(r *diag.Report) *Baseline {
	b := &Baseline{}
	index := map[string]int{}
	for _, list := range [][]diag.Violation{r.Violations, r.Suppressed} {
		for i := range list {
			v := &list[i]
			if v.Suppression.By != "" && v.Suppression.By != diag.ByBaseline {
				continue
			}
			f := v.Fingerprint()
			if at, ok := index[f]; ok {
				b.entries[at].Count++
				continue
			}
			index[f] = len(b.entries)
			b.entries = append(b.entries, Entry{
				Rule: v.Rule, Object: v.Object.String(), Path: v.Path.String(), File: FileName(v.Place.File), Fingerprint: f, Count: 1,
			})
		}
	}
	b.sort()
	return b
}

// FileName is the name of a file as entries have it: with slashes, and no "." in front.
func FileName(file string) string { return path.Clean(strings.ReplaceAll(file, `\`, "/")) }

func (b *Baseline) sort() {
	slices.SortFunc(b.entries, func(x, y Entry) int {
		for _, c := range []int{
			strings.Compare(x.Object, y.Object), strings.Compare(x.Path, y.Path), strings.Compare(string(x.Rule), string(y.Rule)),
			strings.Compare(x.File, y.File), strings.Compare(x.Fingerprint, y.Fingerprint),
		} {
			if c != 0 {
				return c
			}
		}
		return 0
	})
}

// Len returns the number of entries, and of the violations that they stand for.
func (b *Baseline) Len() (entries, violations int) {
	for _, e := range b.entries {
		violations += e.Count
	}
	return len(b.entries), violations
}

// Write writes the file: JSON, an entry a line, so that a change of one is a change of one line.
func (b *Baseline) Write(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "{\n  \"version\": %d,\n  \"entries\": [", version)
	for i := range b.entries {
		if i > 0 {
			text.WriteString(",")
		}
		line, err := json.Marshal(&b.entries[i])
		if err != nil {
			return err
		}
		text.WriteString("\n    " + string(line))
	}
	if len(b.entries) > 0 {
		text.WriteString("\n  ")
	}
	text.WriteString("]\n}\n")
	_, err := io.WriteString(w, text.String())
	return err
}

// Parse reads what Write has written.
func Parse(src *source.Source) (*Baseline, error) {
	var file struct {
		Version int     `json:"version"`
		Entries []Entry `json:"entries"`
	}
	d := json.NewDecoder(strings.NewReader(src.Text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s is not a baseline: %w", src.Name, err)
	}
	if file.Version != version {
		return nil, fmt.Errorf("%s: unsupported baseline version %d; this program supports version %d", src.Name, file.Version, version)
	}
	at := 0
	for i := range file.Entries {
		e := &file.Entries[i]
		if e.Fingerprint == "" || e.Count < 1 || e.Rule == "" {
			return nil, fmt.Errorf("%s: entry %d has no rule, fingerprint or count", src.Name, i+1)
		}
		quoted := strconv.Quote(e.Fingerprint)
		n := strings.Index(src.Text[at:], quoted)
		if n < 0 {
			return nil, errors.New(src.Name + ": a fingerprint is written with escapes")
		}
		at += n
		e.place = src.Place(source.Span{Start: at, End: at + len(quoted)})
		at += len(quoted)
	}
	return &Baseline{entries: file.Entries}, nil
}

// Apply sorts violations into those that count and those that the baseline accepts; of more that are alike than it
// has, the first ones. What is left of the baseline then has matched nothing.
func (b *Baseline) Apply(violations []diag.Violation) (counting, accepted []diag.Violation, left *Baseline) {
	open := map[string]int{}
	for _, e := range b.entries {
		open[e.Fingerprint] += e.Count
	}
	for _, v := range violations {
		f := v.Fingerprint()
		if open[f] == 0 {
			counting = append(counting, v)
			continue
		}
		open[f]--
		v.Suppression = diag.Suppression{By: diag.ByBaseline, Reason: "in the baseline"}
		accepted = append(accepted, v)
	}
	left = &Baseline{}
	for _, e := range b.entries {
		if n := min(open[e.Fingerprint], e.Count); n > 0 {
			open[e.Fingerprint] -= n
			e.Count = n
			left.entries = append(left.entries, e)
		}
	}
	return counting, accepted, left
}

// In returns the entries whose file is one of those for which checked is true.
func (b *Baseline) In(checked func(file string) bool) *Baseline {
	in := &Baseline{}
	for _, e := range b.entries {
		if checked(e.File) {
			in.entries = append(in.entries, e)
		}
	}
	return in
}

// Without returns the baseline less the entries, and counts, of another one.
func (b *Baseline) Without(other *Baseline) *Baseline {
	drop := map[string]int{}
	for _, e := range other.entries {
		drop[e.Fingerprint] += e.Count
	}
	rest := &Baseline{}
	for _, e := range b.entries {
		n := min(drop[e.Fingerprint], e.Count)
		drop[e.Fingerprint] -= n
		if e.Count -= n; e.Count > 0 {
			rest.entries = append(rest.entries, e)
		}
	}
	return rest
}

// Unmatched reports the entries of what Apply has left, each at its line of the file.
func (b *Baseline) Unmatched() []diag.Violation {
	var violations []diag.Violation
	for _, e := range b.entries {
		of := e.File
		if e.Object != "" {
			of = e.Object
		}
		if e.Path != "" {
			of += ", " + e.Path
		}
		violations = append(violations, diag.Violation{
			Rule: diag.BaselineUnmatched, Severity: diag.Info, Place: e.place,
			Message: fmt.Sprintf("%s of %s is no longer found", e.Rule, of), Help: "remove it with 'kindvet baseline prune'",
		})
	}
	return violations
}
