package store

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Lock is the content of the lock file. Sources are sorted by name.
type Lock struct{ Sources []Source }

// Source is where schemas came from.
type Source struct {
	// Name is the unique name of the source: a short name, a path, or a URL without the version.
	Name string
	// Version is the version or the git tag; "" for a source without versions.
	Version string
	// From is the URL from which it was fetched, and Commit the git commit; "" for none.
	From, Commit string
	// IsNewest reports whether the version was not stated by the user or the repository, but is the newest that is known.
	IsNewest bool
	// Files are the files of the source, sorted by path.
	Files []File
}

// String returns the source with its version.
func (s Source) String() string {
	if s.Version == "" {
		return s.Name
	}
	if name, part, isPart := strings.Cut(s.Name, "//"); isPart && !strings.Contains(name, ":") { // of a project
		return name + "@" + s.Version + "//" + part
	}
	return s.Name + "@" + s.Version
}

// File is a schema file. Path is relative to the directory of the schemas, with slashes. SHA256 is in hexadecimal.
type File struct{ Path, SHA256 string }

// lockHead is the comment at the start of a lock file.
const lockHead = `# Written by 'kindvet schemas add'. Do not edit: 'kindvet schemas check' compares the files with their hashes.
`

// lockVersion is the version of the format.
const lockVersion = 1

var (
	filePath = whole(groupPattern + `/` + pluralPattern + `\.yaml`)
	hash     = whole(`[0-9a-f]{64}`)
)

// ReadLock reads the lock file. If it does not exist, the lock is empty.
func (s Store) ReadLock() (Lock, error) {
	if err := s.rejectLinks(lockPath); err != nil {
		return Lock{}, err
	}
	text, err := s.Tree.Read(s.full(lockPath), disk.Lock)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, nil
	}
	if err != nil {
		return Lock{}, &fs.PathError{Op: "open", Path: s.name(lockPath), Err: reason(err)}
	}
	lock, err := parseLock(&source.Source{Name: s.name(lockPath), Text: text})
	if err != nil {
		return Lock{}, fmt.Errorf("%s: %w", s.name(lockPath), err)
	}
	return lock, nil
}

// parseLock parses a lock file. Each value is validated, because a lock file may have been edited.
func parseLock(src *source.Source) (Lock, error) {
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if tree.Root().Valid() {
			return Lock{}, errors.New("has more than one document")
		}
		if vs := tree.Read(src, part); len(vs) > 0 {
			return Lock{}, fmt.Errorf("line %d: %s", vs[0].Place.Start().Line, vs[0].Message)
		}
	}
	p := lockParser{paths: map[string]bool{}}
	root := tree.Root()
	if !root.Valid() || root.Type() != manifest.Map {
		return Lock{}, errors.New("is not a lock file")
	}
	if v := root.At("version"); !v.Valid() || v.Type() != manifest.Integer || v.Integer() != lockVersion {
		return Lock{}, fmt.Errorf("must have version: %d; another version of kindvet wrote it", lockVersion)
	}
	lock := Lock{Sources: p.sources(root)}
	return lock, p.err
}

// lockParser parses the sources of a lock file, up to the first error.
type lockParser struct {
	paths map[string]bool // of files
	err   error
}

func (p *lockParser) fail(n manifest.Node, message string) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %s", n.Place().Start().Line, message)
	}
}

func (p *lockParser) sources(root manifest.Node) (list []Source) {
	p.fields(root, "version", "sources")
	sources := root.At("sources")
	if !sources.Valid() || sources.Type() != manifest.List {
		p.fail(root, "sources must be a list")
		return nil
	}
	for n := range sources.Children() {
		if n.Type() != manifest.Map {
			p.fail(n, "a source must be an object")
			return nil
		}
		p.fields(n, "source", "version", "from", "commit", "newest", "files")
		s := Source{
			Name: p.text(n, "source"), Version: p.text(n, "version"), From: p.text(n, "from"), Commit: p.text(n, "commit"),
		}
		if s.Name == "" || len(list) > 0 && list[len(list)-1].Name >= s.Name {
			p.fail(n, "sources must have names, in alphabetical order")
		}
		if newest := n.At("newest"); newest.Valid() {
			if s.IsNewest = newest.Type() == manifest.Boolean && newest.Boolean(); !s.IsNewest {
				p.fail(newest, "newest must be true")
			}
		}
		s.Files = p.files(n)
		list = append(list, s)
	}
	return list
}

func (p *lockParser) files(n manifest.Node) (list []File) {
	files := n.At("files")
	if !files.Valid() || files.Type() != manifest.Map {
		p.fail(n, "files must be an object")
		return nil
	}
	for f := range files.Children() {
		sum, hasPrefix := strings.CutPrefix(f.Text(), "sha256:")
		file := File{Path: strings.Clone(f.Key()), SHA256: strings.Clone(sum)}
		switch {
		case len(p.paths) == maxFiles:
			p.fail(f, fmt.Sprintf("there are more than %d files", maxFiles))
			return nil
		case !filePath().MatchString(file.Path):
			p.fail(f, fmt.Sprintf("%q is not GROUP/PLURAL.yaml", file.Path))
		case !hasPrefix || !hash().MatchString(sum):
			p.fail(f, "must be sha256: and 64 hexadecimal digits")
		case p.paths[file.Path]:
			p.fail(f, fmt.Sprintf("two sources have %s", file.Path))
		}
		p.paths[file.Path] = true
		list = append(list, file)
	}
	return list
}

// fields rejects unknown fields, because a newer version may have given them a meaning.
func (p *lockParser) fields(n manifest.Node, names ...string) {
	for f := range n.Children() {
		if !slices.Contains(names, f.Key()) {
			p.fail(f, fmt.Sprintf("unknown field %q", f.Key()))
		}
	}
}

func (p *lockParser) text(n manifest.Node, name string) string {
	f := n.At(name)
	if !f.Valid() {
		return ""
	}
	if f.Type() != manifest.String {
		p.fail(f, name+" must be a string")
		return ""
	}
	return strings.Clone(f.Text())
}

// text returns the text of the lock file: sources sorted by name, files sorted by path, each on its own line.
func (l Lock) text() string {
	var b strings.Builder
	b.WriteString(lockHead)
	fmt.Fprintf(&b, "version: %d\nsources:", lockVersion)
	if len(l.Sources) == 0 {
		b.WriteString(" []")
	}
	b.WriteString("\n")
	for _, s := range l.Sources {
		fmt.Fprintf(&b, "- source: %s\n", quoted(s.Name))
		for _, field := range [][2]string{{"version", s.Version}, {"from", s.From}, {"commit", s.Commit}} {
			if field[1] != "" {
				fmt.Fprintf(&b, "  %s: %s\n", field[0], quoted(field[1]))
			}
		}
		if s.IsNewest {
			b.WriteString("  newest: true\n")
		}
		b.WriteString("  files:\n")
		for _, f := range s.Files {
			fmt.Fprintf(&b, "    %s: sha256:%s\n", f.Path, f.SHA256)
		}
	}
	return b.String()
}

// quoted returns a text as a double-quoted string that is valid in YAML and JSON.
func quoted(text string) string { return strconv.QuoteToASCII(strings.ToValidUTF8(text, "\ufffd")) }

// files returns the files of all sources.
func (l Lock) files() (list []File) {
	for _, s := range l.Sources {
		list = append(list, s.Files...)
	}
	return list
}

// with returns the lock with s in place of the source of the same name. Files of s are removed from other sources.
// moved are the sources that have lost files.
func (l Lock) with(s Source) (changed Lock, moved []string) {
	paths := map[string]bool{}
	for _, f := range s.Files {
		paths[f.Path] = true
	}
	for _, other := range l.Sources {
		if other.Name == s.Name {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(other.Files), func(f File) bool { return paths[f.Path] })
		if len(kept) < len(other.Files) {
			moved = append(moved, other.Name)
		}
		if other.Files = kept; len(kept) > 0 {
			changed.Sources = append(changed.Sources, other)
		}
	}
	changed.Sources = append(changed.Sources, s)
	changed.sort()
	return changed, moved
}

func (l *Lock) sort() {
	slices.SortFunc(l.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	for i := range l.Sources {
		slices.SortFunc(l.Sources[i].Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	}
}
