package catalog

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/source"
)

// Layer holds the kinds that discovered CRDs add to a catalog. The catalog itself does not know them, so a discovered
// CRD never makes a group or kind look misspelled. A nil layer adds nothing.
type Layer struct {
	byName   map[groupKind][]*Entry // also by list kind
	entries  []*Entry
	groups   map[string]bool
	kinds    []diag.Discovered
	replaced []diag.Replaced
	copies   []replacedCopy
}

// NewLayer returns the layer of discovered kinds for a catalog. It leaves out kinds for which the catalog has a CRD
// and kinds of Kubernetes, and replaces built-in kinds and copies of CRDs ([ReadStored]).
func (c *Catalog) NewLayer(d *Discovered) *Layer {
	if d == nil || len(d.entries) == 0 {
		return nil
	}
	l := &Layer{byName: map[groupKind][]*Entry{}, groups: map[string]bool{}}
	for _, e := range d.entries {
		l.add(c, e)
	}
	for _, e := range l.entries {
		list := groupKind{e.Group, e.ListName}
		if old, ok := c.byName[list]; ok && old.Name != e.Name || l.isKind(list) {
			continue // a list must not hide another kind
		}
		l.byName[list] = append(l.byName[list], e)
	}
	return l
}

// isKind reports whether the layer has a kind with a name, as opposed to only a list kind.
func (l *Layer) isKind(key groupKind) bool {
	entries := l.byName[key]
	return len(entries) > 0 && entries[0].Name == key.kind
}

// add adds an entry under the name of its kind, unless the catalog's own entry takes precedence.
func (l *Layer) add(c *Catalog, e *Entry) {
	key := groupKind{e.Group, e.Name}
	old, known := c.byName[key]
	isCopy := known && old.stored != nil && old.Name == e.Name
	if known && !isCopy && (old.Origin != BuiltIn || old.Name != e.Name) {
		return
	}
	file, line := e.origin()
	if isCopy && e.testData == "" {
		l.copies = append(l.copies, replacedCopy{old, e})
	}
	if known && !isCopy {
		l.replaced = append(l.replaced, diag.Replaced{Group: e.Group, Kind: e.Name, File: file, Line: line})
	}
	if known && old.builtIn != nil {
		e = e.like(old)
	}
	l.groups[e.Group] = true
	l.entries = append(l.entries, e)
	l.byName[key] = append(l.byName[key], e)
	l.kinds = append(l.kinds, diag.Discovered{Group: e.Group, Kind: e.Name, File: file, Line: line})
}

// Kinds returns the kinds of the layer and their CRDs, in the order of the files.
func (l *Layer) Kinds() []diag.Discovered {
	if l == nil {
		return nil
	}
	return slices.Clone(l.kinds)
}

// Replaced returns the built-in kinds that kinds of the layer replace, in the order of the files.
func (l *Layer) Replaced() []diag.Replaced {
	if l == nil {
		return nil
	}
	return slices.Clone(l.replaced)
}

// HasGroup reports whether the layer has a kind in a group.
func (l *Layer) HasGroup(group string) bool { return l != nil && l.groups[group] }

// HasKind reports whether the layer has a kind, or a list kind, with that group and name.
func (l *Layer) HasKind(group, kind string) bool {
	return l != nil && len(l.byName[groupKind{group, kind}]) > 0
}

// HasKindFor is like HasKind, but only for the CRDs that apply to a file.
func (l *Layer) HasKindFor(file, group, kind string) bool {
	return l != nil && len(l.entriesFor(file, groupKind{group, kind})) > 0
}

// EntryFor returns the first entry of a kind that applies to a file.
func (l *Layer) EntryFor(file, group, kind string) (*Entry, bool) {
	if l == nil {
		return nil, false
	}
	entries := l.entriesFor(file, groupKind{group, kind})
	if len(entries) == 0 {
		return nil, false
	}
	return entries[0], true
}

// entriesFor returns the entries of a kind, or of a list kind, that apply to a file. A CRD that is part of test data
// only describes the other files there, unless it is one of a known project, which others have copied.
func (l *Layer) entriesFor(file string, key groupKind) []*Entry {
	entries := l.byName[key]
	isOther := func(e *Entry) bool { return !isBelow(file, e.testData) }
	if slices.ContainsFunc(entries, isOther) {
		entries = slices.DeleteFunc(slices.Clone(entries), isOther)
	}
	return entries
}

// testDataNames are the names of directories with the test data of programs.
var testDataNames = [...]string{"testdata", "fixtures", "test-fixtures", "__fixtures__"}

// testDataOf returns the directory with test data that a file is in, with a slash at its end, or "".
func testDataOf(file string) string {
	file = filepath.ToSlash(file)
	for end, rest := 0, file; ; {
		name, after, ok := strings.Cut(rest, "/")
		if !ok {
			return ""
		}
		end += len(name) + 1
		if slices.Contains(testDataNames[:], name) {
			return file[:end]
		}
		rest = after
	}
}

// isBelow reports whether a file is in a directory, which has a slash at its end or is "".
func isBelow(file, directory string) bool {
	return directory == "" || strings.HasPrefix(filepath.ToSlash(file), directory)
}

// MaxCandidates is the maximum number of CRDs of one kind that a document is checked with. The CRDs whose files are
// closest to that of the document are tried first. Each may read the document again. A public repository has 39 CRDs
// of one name, from all releases of an operator. Decide anew if the right one is not among the closest.
const MaxCandidates = 16

// Candidate is one of the kinds that a document may have.
type Candidate struct {
	*Kind
	CRD source.Place
	// Distance is smaller the closer the CRD is to the document.
	Distance int
}

// Candidates are the kinds that a document may have according to different CRDs.
type Candidates struct {
	// List holds at most [MaxCandidates] kinds, the closest first. It leaves out kinds whose schemas cannot be read.
	List []Candidate
	// All is the number of CRDs that serve the version of the document.
	All int
	// IsList reports whether the document is a list of the kind.
	IsList bool
	// IsUnserved reports whether there are CRDs of the kind but none of them serves the version.
	IsUnserved bool
}

// Candidates returns the kinds that a document in a file may have.
func (l *Layer) Candidates(file, group, version, kind string) (c Candidates) {
	if l == nil {
		return c
	}
	entries := l.entriesFor(file, groupKind{group, kind})
	if len(entries) > 1 {
		entries = byDistance(entries, file)
	}
	for _, e := range entries {
		if !slices.Contains(e.Versions, version) {
			continue
		}
		c.All++
		if len(c.List) == MaxCandidates {
			continue
		}
		if k, ok := e.Kind(version); ok {
			c.List = append(c.List, Candidate{Kind: k, CRD: e.place(), Distance: distance(file, e.src.Name)})
		}
	}
	c.IsUnserved = len(entries) > 0 && c.All == 0
	c.IsList = len(entries) > 0 && entries[0].Name != kind
	return c
}

// versionsOf lists the versions that the CRDs of a kind serve, without duplicates.
func versionsOf(entries []*Entry) string {
	var versions []string
	isKnown := map[string]bool{}
	for _, e := range entries {
		for _, v := range e.Versions {
			switch {
			case isKnown[v]:
			case len(versions) == mostListed:
				return strings.Join(versions, ", ") + " and more"
			default:
				isKnown[v] = true
				versions = append(versions, v)
			}
		}
	}
	return strings.Join(versions, ", ")
}

// Unserved explains why a document whose kind is in the layer has no schema: no CRD serves its version.
func (l *Layer) Unserved(file, group, version, kind string) Unknown {
	entries := l.entriesFor(file, groupKind{group, kind})
	closest := byDistance(entries, file)[0]
	u := Unknown{
		Rule: diag.UnknownVersion, Near: true, CRD: closest.place(),
		Message: "kind " + closest.Name + " has no version " + diag.Quote(version) + " in " + groupText(group),
		Help:    "known versions: " + versionsOf(entries),
	}
	if _, u.IsCopy = projects.ForKind(group, closest.Name); u.IsCopy {
		u.Help += "; if the CRD is an old copy, update it"
	}
	return u
}

// byDistance returns entries sorted by their distance from a file. No document names its CRD, so the nearest one is a
// guess, which matters only if CRDs of a kind differ. Decide anew if the right one is often far away.
func byDistance(entries []*Entry, file string) []*Entry {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b *Entry) int {
		return distance(file, a.src.Name) - distance(file, b.src.Name)
	})
	return sorted
}

// maxDepth exceeds the number of directories in any path.
const maxDepth = 1 << 20

// distance returns how far apart two files are. It is smallest for the same file, larger for files in the same
// directory, and otherwise larger the higher up their nearest common directory is.
func distance(a, b string) int {
	if a == b {
		return 0
	}
	a, b = filepath.ToSlash(filepath.Dir(a)), filepath.ToSlash(filepath.Dir(b))
	if a == b {
		return 1
	}
	return maxDepth - commonDepth(a, b)
}

// commonDepth returns how many directories two paths have in common.
func commonDepth(a, b string) int {
	depth := 0
	for {
		first, restA, moreA := strings.Cut(a, "/")
		second, restB, moreB := strings.Cut(b, "/")
		if first != second {
			return depth
		}
		depth++
		if !moreA || !moreB {
			return depth
		}
		a, b = restA, restB
	}
}

// origin returns the file of the CRD of an entry, and the line on which its document starts.
func (e *Entry) origin() (file string, line int) { return e.src.Name, e.src.Position(e.start).Line }

// place returns the place of the CRD of an entry: the start of its document.
func (e *Entry) place() source.Place { return e.src.Place(source.Span{Start: e.start, End: e.start}) }

// EntriesWith returns the kinds that apply to a file: those of a layer, and those of the catalog that the layer does not replace.
func (c *Catalog) EntriesWith(l *Layer, file string) []*Entry {
	if l == nil {
		return c.Entries()
	}
	var list []*Entry
	for _, e := range l.entries {
		if isBelow(file, e.testData) {
			list = append(list, e)
		}
	}
	for _, e := range c.Entries() {
		if !l.HasKindFor(file, e.Group, e.Name) {
			list = append(list, e)
		}
	}
	return list
}
