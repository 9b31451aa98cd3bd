package git

import (
	"bufio"
	"path/filepath"
	"strings"
)

// Remotes are what a git directory says about other copies of the repository. It is read without git.
type Remotes struct {
	// URLs are those of all remotes.
	URLs []string
	// Branches are the one that is checked out, and those that remotes have as their default.
	Branches []string
}

// RemotesOf returns the remotes of the repository at a top. It is empty if its git directory is elsewhere or cannot be
// read. Files that the settings include are not read.
func RemotesOf(top string, read func(name string) (string, error)) (r Remotes) {
	dir := filepath.Join(top, Entry)
	text, err := read(filepath.Join(dir, "config"))
	if err != nil {
		return r
	}
	section := ""
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		key, value, _ := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(line, "["):
			section = line
		case strings.HasPrefix(section, "[remote ") && strings.EqualFold(strings.TrimSpace(key), "url"):
			r.URLs = append(r.URLs, strings.Trim(strings.TrimSpace(value), `"`))
			name := strings.Trim(strings.TrimPrefix(section, "[remote "), `]"`)
			if filepath.IsLocal(name) {
				r.addBranch(read, filepath.Join(dir, "refs", "remotes", name, "HEAD"), "ref: refs/remotes/"+name+"/")
			}
		}
	}
	r.addBranch(read, filepath.Join(dir, "HEAD"), "ref: refs/heads/")
	return r
}

// addBranch adds the branch that a file names after a prefix.
func (r *Remotes) addBranch(read func(string) (string, error), file, prefix string) {
	text, err := read(file)
	if branch, ok := strings.CutPrefix(strings.TrimSpace(text), prefix); ok && err == nil {
		r.Branches = append(r.Branches, branch)
	}
}
