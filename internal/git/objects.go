package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is a file of a commit or of the index: its path from the top of the working tree, with slashes, and the object
// that holds its text.
type File struct {
	Name     string
	Object   string // in hexadecimal digits
	IsLink   bool   // the text is the target of the link
	IsSparse bool   // in the index, but omitted by a sparse checkout
}

// ErrNoCommit is returned for a revision that does not exist in a repository.
var ErrNoCommit = errors.New("unknown revision")

// Commit returns the hash of the commit that a revision names.
func (r *Repository) Commit(ctx context.Context, revision string) (string, error) {
	commit, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, errSilent):
		return "", err
	case err != nil || commit == "":
		return "", ErrNoCommit
	}
	return commit, nil
}

// MergeBase returns the merge base of a commit and HEAD; false if there is none.
func (r *Repository) MergeBase(ctx context.Context, commit string) (string, bool, error) {
	base, err := r.line(ctx, "merge-base", commit, "HEAD")
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	if errors.Is(err, errSilent) {
		return "", false, err
	}
	return base, err == nil && base != "", nil
}

// Files returns those files of a commit for which wanted returns true, sorted by name. Submodules and files that git
// would not check out are omitted.
func (r *Repository) Files(ctx context.Context, commit string, wanted func(name string) bool) ([]File, error) {
	var files []File
	err := r.list(ctx, func(entry string) error { // "mode type object<TAB>name"
		about, name, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && fields[1] == "blob" && isTracked(name) && wanted(name) {
			files = append(files, File{Name: name, Object: fields[2], IsLink: fields[0] == linkMode})
		}
		return nil
	}, "ls-tree", "-r", "-z", "--full-tree", commit)
	slices.SortFunc(files, byName)
	return files, err
}

// Staged returns the files of the index, sorted by name. Submodules and files with conflicts are omitted.
func (r *Repository) Staged(ctx context.Context) ([]File, error) {
	files, _, outside, err := r.readIndex(ctx)
	if err == nil && outside != "" {
		err = fmt.Errorf("the git index has the invalid path %q", outside)
	}
	return files, err
}

// readIndex returns the files of the index, and the names of those with conflicts. outside is a path in the index that is
// outside the working tree; "" if there is none.
func (r *Repository) readIndex(ctx context.Context) (files []File, unmerged map[string]bool, outside string, err error) {
	unmerged = map[string]bool{}
	err = r.list(ctx, func(entry string) error { // "tag mode object stage<TAB>name"
		about, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		switch {
		case !isTracked(name):
			outside = name
		case len(fields) == 4 && fields[3] != "0":
			unmerged[name] = true
		case len(fields) == 4 && (strings.HasPrefix(fields[1], "100") || fields[1] == linkMode):
			files = append(files,
				File{Name: name, Object: fields[2], IsLink: fields[1] == linkMode, IsSparse: fields[0] == "S"})
		}
		return nil
	}, "ls-files", "-z", "--stage", "-t", "--full-name")
	slices.SortFunc(files, byName)
	return files, unmerged, outside, err
}

const linkMode = "120000"

func byName(a, b File) int { return strings.Compare(a.Name, b.Name) }

// isTracked reports whether git would check out a file of this name. The file must be below the top and not in a
// .git.
func isTracked(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && name != "." && !hasEntry(name)
}

// list calls add with each entry that git lists.
func (r *Repository) list(ctx context.Context, add func(entry string) error, args ...string) error {
	return r.run(ctx, nil, func(out *bufio.Reader) error {
		for left := r.limits.listing; ; {
			entry, err := out.ReadString(0)
			if err == io.EOF && entry == "" {
				return nil
			}
			if err != nil {
				return err
			}
			if left -= int64(len(entry)); left < 0 {
				return fmt.Errorf("the names of its files are longer than %d bytes in total", r.limits.listing)
			}
			if err := add(strings.TrimSuffix(entry, "\x00")); err != nil {
				return err
			}
		}
	}, args...)
}

// Read reads the texts of files, in order. If the working tree has the same text under the name of a file, it is read
// there, and the other texts with one git process. If several files have the same object, they share the text.
func (r *Repository) Read(ctx context.Context, files []File, found func(f File, text string)) error {
	texts := r.readTree(ctx, files)
	rest := slices.DeleteFunc(slices.Clone(files), func(f File) bool { _, ok := texts[f.Object]; return ok })
	err := r.readObjects(ctx, rest, func(f File, text string) error {
		texts[f.Object] = text
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		found(f, texts[f.Object])
	}
	return nil
}

// readTree returns the texts of those files that the working tree has with the same bytes, by object. Reading and hashing a
// small file takes half the time that git takes for its object.
func (r *Repository) readTree(ctx context.Context, files []File) map[string]string {
	texts := make([]string, len(files))
	found := make([]bool, len(files))
	inParallel(ctx, len(files), func(i int) {
		f := files[i]
		if f.IsLink {
			return
		}
		text, ok := readRegular(filepath.Join(r.Top, filepath.FromSlash(f.Name)), min(r.limits.text, r.limits.compared))
		if ok && hasText(f.Object, text) {
			texts[i], found[i] = string(text), true
		}
	})
	byObject := make(map[string]string, len(files))
	for i, f := range files {
		if found[i] {
			byObject[f.Object] = texts[i]
		}
	}
	return byObject
}

// readObjects calls found with the first file of each object, in order. An error of found ends the reading.
func (r *Repository) readObjects(ctx context.Context, files []File, found func(f File, text string) error) error {
	if len(files) == 0 {
		return nil
	}
	var requests strings.Builder
	known := map[string]bool{}
	var first []File // the first file of each object
	for _, f := range files {
		if !known[f.Object] {
			known[f.Object] = true
			first = append(first, f)
			requests.WriteString(f.Object + "\n")
		}
	}
	name := ""
	var foundErr error
	err := r.run(ctx, strings.NewReader(requests.String()), func(out *bufio.Reader) error {
		for _, f := range first {
			name = f.Name
			text, err := r.readObject(out)
			if err != nil {
				return err
			}
			if foundErr = found(f, text); foundErr != nil {
				return foundErr
			}
		}
		return nil
	}, "cat-file", "--batch")
	if foundErr != nil {
		return foundErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readObject reads one response of git cat-file --batch: "object type size", the text, and a line break.
func (r *Repository) readObject(out *bufio.Reader) (string, error) {
	header, err := out.ReadString('\n')
	if err != nil {
		return "", err
	}
	fields := strings.Fields(header)
	if len(fields) != 3 || fields[1] != "blob" {
		return "", errors.New("its content is missing; in a partial clone, fetch it first")
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return "", fmt.Errorf("git cat-file: %w", err)
	}
	if size > r.limits.text {
		return "", fmt.Errorf("it is larger than %d bytes", r.limits.text)
	}
	text := make([]byte, size+1)
	if _, err := io.ReadFull(out, text); err != nil {
		return "", err
	}
	return string(text[:size]), nil
}
