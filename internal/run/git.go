package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// readRevision reads the state before from a git revision: the files that are checked as they were there, and all other manifests
// that have changed or gone since, so that an object that was moved is still the same object.
func (o *oldState) readRevision(revision string, files []file) error {
	byRepository, err := repositories(files)
	if err != nil {
		return err
	}
	if len(byRepository) == 0 {
		return errors.New("no such file, and nothing to check lies in a git repository")
	}
	for top, paths := range byRepository {
		if err := o.readRepository(top, revision, paths); err != nil {
			return err
		}
	}
	return nil
}

// repositories sorts the files on disk by the repository that they are in, as absolute paths.
func repositories(files []file) (map[string][]string, error) {
	byRepository := map[string][]string{}
	for _, f := range files {
		if f.stdin {
			continue
		}
		path, err := filepath.Abs(f.name)
		if err != nil {
			return nil, err
		}
		top, err := topLevel(filepath.Dir(path), byRepository)
		if err != nil {
			return nil, err
		}
		byRepository[top] = append(byRepository[top], path)
	}
	return byRepository, nil
}

// topLevel returns the root of the repository that a folder is in; one that is known already is not asked for again.
func topLevel(folder string, known map[string][]string) (string, error) {
	resolved, err := existing(folder)
	if err != nil {
		return "", err
	}
	for top := range known {
		if resolved == top || strings.HasPrefix(resolved, top+string(filepath.Separator)) && !hasRepositoryBetween(resolved, top) {
			return top, nil
		}
	}
	at := resolved
	for at != filepath.Dir(at) && !isFolder(at) {
		at = filepath.Dir(at)
	}
	out, err := git(at, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("no such file, and %s is in no git repository: %w", folder, err)
	}
	return filepath.FromSlash(strings.TrimRight(string(out), "\r\n")), nil
}

func isFolder(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.IsDir()
}

func hasRepositoryBetween(folder, top string) bool {
	for ; folder != top && len(folder) > len(top); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
			return true
		}
	}
	return false
}

func (o *oldState) readRepository(top, revision string, paths []string) error {
	out, err := git(top, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return fmt.Errorf("no such file, and no such revision in %s", top)
	}
	commit := strings.TrimSpace(string(out))
	names, err := changedSince(top, commit, false)
	if err != nil {
		return err
	}
	for _, path := range paths {
		name, err := nameIn(top, path)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return o.readObjects(top, commit, revision, slices.Compact(names))
}

// nameIn returns the name that a file has in its repository.
func nameIn(top, path string) (string, error) {
	dir, err := existing(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(top, filepath.Join(dir, filepath.Base(path)))
	return filepath.ToSlash(name), err
}

// existing follows the links of a folder, of which the last parts may be gone from the work tree.
func existing(folder string) (string, error) {
	resolved, err := filepath.EvalSymlinks(folder)
	if above := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && above != folder {
		if above, err = existing(above); err == nil {
			return filepath.Join(above, filepath.Base(folder)), nil
		}
	}
	return resolved, err
}

// changedSince lists the manifests that differ from a commit, or are gone: those of the work tree, or of the index.
func changedSince(top, commit string, staged bool) ([]string, error) {
	args := []string{"diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "-z"}
	if staged {
		args = append(args, "--cached")
	}
	out, err := git(top, nil, append(args, commit, "--")...)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if isManifest(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// readObjects reads files out of a commit. Names that the commit does not have are passed over. The report calls the files by the
// revision as the user named it.
func (o *oldState) readObjects(top, commit, revision string, names []string) error {
	return readBlobs(top, commit, names, func(name, text string) { o.add(revision+":"+name, text) })
}

// readBlobs reads files out of a commit, or out of the index for the commit "", all by one git process. Names that are not there are
// passed over.
func readBlobs(top, commit string, names []string, found func(name, text string)) error {
	var requests bytes.Buffer
	asked := names[:0:0]
	for _, name := range names {
		if !strings.Contains(name, "\n") {
			fmt.Fprintf(&requests, "%s:%s\n", commit, name)
			asked = append(asked, name)
		}
	}
	out, err := git(top, &requests, "cat-file", "--batch")
	if err != nil {
		return err
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, name := range asked {
		header, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		fields := strings.Fields(header)
		if strings.HasSuffix(strings.TrimSpace(header), " missing") || len(fields) < 3 {
			continue
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		text := make([]byte, size+1) // a line break follows
		if _, err := io.ReadFull(r, text); err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		if fields[1] == "blob" {
			found(name, string(text[:size]))
		}
	}
	return nil
}

// git runs git in a folder, without anything that a repository's own settings could have it do, and without the network.
func git(folder string, in io.Reader, args ...string) ([]byte, error) {
	c := exec.Command("git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull}, args...)...)
	c.Dir = folder
	c.Stdin = in
	c.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	var trouble bytes.Buffer
	c.Stderr = &trouble
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && trouble.Len() > 0 {
		return nil, errors.New(strings.TrimSpace(trouble.String()))
	}
	return out, err
}
