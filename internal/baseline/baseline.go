// Package baseline holds the findings that a repository had when it adopted kindvet. They are recorded, so only new
// findings count.
//
// A violation is recognized by its fingerprint, which is made from its rule, its object and its path. The fingerprint
// stays the same when text moves within a file or to another file. For violations with the same fingerprint, the
// baseline records their number.
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

// version is the version number of the file format. A file with another version is rejected.
const version = 1

// Baseline is a list of violations, sorted by object, path and rule.
type Baseline struct {
	entries []Entry
}

// Entry stands for one violation, or for several with the same fingerprint.
type Entry struct {
	Rule diag.Rule `json:"rule"`
	// Object and Path tell people what the fingerprint stands for, and File where the violation was.
	Object      string `json:"object,omitempty"`
	Path        string `json:"path,omitempty"`
	File        string `json:"file"`
	Fingerprint string `json:"fingerprint"`
	// Count is the number of violations with this fingerprint.
	Count int `json:"count"`

	place source.Place
}

// Make records the violations that count and those that an older baseline has suppressed.
func Make(r *diag.Report) *Baseline {
	b := &Baseline{}
	index, found := map[string]int{}, newNumbers()
	for _, list := range [][]diag.Violation{r.Violations, r.Suppressed} {
		for i := range list {
			v := &list[i]
			if v.Suppression.By != "" && v.Suppression.By != diag.ByBaseline {
				continue
			}
			f := v.Fingerprint()
			found.add(f, v.Kubernetes)
			if at, ok := index[f]; ok {
				b.entries[at].Count = found.counts[f]
				continue
			}
			index[f] = len(b.entries)
			b.entries = append(b.entries, Entry{
				Rule: v.Rule, Object: v.Object.String(), Path: v.Path.String(), File: FileName(v.Place.File),
				Fingerprint: f, Count: 1,
			})
		}
	}
	b.sort()
	return b
}

// FileName returns the name of a file in the form that entries use: with slashes, and without a leading "./".
func FileName(file string) string { return path.Clean(strings.ReplaceAll(file, `\`, "/")) }

func (b *Baseline) sort() {
	slices.SortFunc(b.entries, func(x, y Entry) int {
		for _, c := range []int{
			strings.Compare(x.Object, y.Object), strings.Compare(x.Path, y.Path),
			strings.Compare(string(x.Rule), string(y.Rule)),
			strings.Compare(x.File, y.File), strings.Compare(x.Fingerprint, y.Fingerprint),
		} {
			if c != 0 {
				return c
			}
		}
		return 0
	})
}

// Len returns the number of entries, and the number of violations that they stand for.
func (b *Baseline) Len() (entries, violations int) {
	for _, e := range b.entries {
		violations += e.Count
	}
	return len(b.entries), violations
}

// Write writes the file as JSON with one entry per line, so a changed entry is a changed line.
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

// Parse reads a file that Write has written.
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
		return nil,
			fmt.Errorf("%s: unsupported baseline version %d; this program supports version %d", src.Name, file.Version, version)
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

// Apply separates the violations that count from those that the baseline suppresses. If there are more violations with
// the same fingerprint than the baseline records, it suppresses the first ones. left is the part of the baseline that
// matched nothing.
func (b *Baseline) Apply(violations []diag.Violation) (counting, suppressed []diag.Violation, left *Baseline) {
	recorded, found := map[string]int{}, newNumbers()
	for _, e := range b.entries {
		recorded[e.Fingerprint] += e.Count
	}
	for _, v := range violations {
		if f := v.Fingerprint(); found.add(f, v.Kubernetes) >= recorded[f] {
			counting = append(counting, v)
			continue
		}
		v.Suppression = diag.Suppression{By: diag.ByBaseline}
		suppressed = append(suppressed, v)
	}
	left = &Baseline{}
	for _, e := range b.entries {
		if n := min(recorded[e.Fingerprint]-found.counts[e.Fingerprint], e.Count); n > 0 {
			recorded[e.Fingerprint] -= n
			e.Count = n
			left.entries = append(left.entries, e)
		}
	}
	return counting, suppressed, left
}

// numbers count the violations with the same fingerprint. What different versions of Kubernetes say counts once: a run with one
// version has only one of these violations.
type numbers struct {
	counts   map[string]int
	versions map[inVersion]int
}

// inVersion is a fingerprint, and a version of Kubernetes that has a violation with it.
type inVersion struct {
	fingerprint string
	version     diag.Minors
}

func newNumbers() numbers { return numbers{map[string]int{}, map[inVersion]int{}} }

// add counts a violation, and returns how many there were before.
func (n *numbers) add(fingerprint string, in diag.Versions) (before int) {
	if in.Checked == 0 {
		n.counts[fingerprint]++
		return n.counts[fingerprint] - 1
	}
	for left := in.Found; left != 0; left &= left - 1 {
		of := inVersion{fingerprint, left & -left}
		before = max(before, n.versions[of])
		n.versions[of]++
	}
	n.counts[fingerprint] = max(n.counts[fingerprint], before+1)
	return before
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

// Without returns the baseline minus the entries and counts of another one.
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

// Unmatched reports each entry at its line of the file. It is meant for the part of a baseline that Apply has left.
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
