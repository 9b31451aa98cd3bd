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

// RemotesOf returns the remotes of the repository whose working tree has the given top, with links followed. It is
// empty if its git directory cannot be read. Files that the settings include are not read.
//
// As in [Open], a git directory that is elsewhere must point back to the working tree, and that of a linked worktree
// must be in the repository that it names. Otherwise a .git file in an untrusted directory could name any file.
func RemotesOf(top string, read func(name string) (string, error)) (r Remotes) {
	dir := filepath.Join(top, Entry)
	text, err := read(filepath.Join(dir, "config"))
	if err == nil {
		r.add(dir, dir, text, read)
		return r
	}
	file, err := read(dir)
	target, ok := strings.CutPrefix(lineOf(file), "gitdir: ")
	if err != nil || !ok {
		return r
	}
	if isOnHost(target) {
		return r
	}
	dir = absoluteIn(top, target)
	common, ok := commonOf(top, dir, read)
	if !ok {
		return r
	}
	if text, err = read(filepath.Join(common, "config")); err != nil || common == dir && !hasWorktree(text, dir, top) {
		return r
	}
	r.add(dir, common, text, read)
	return r
}

// isOnHost reports whether a path starts with two slashes or backslashes. On Windows it names another machine, and to
// read it would use the network.
func isOnHost(path string) bool {
	return len(path) > 1 && strings.Trim(path[:2], `/\`) == ""
}

// commonOf returns the directory with the settings of a git directory, which is that of a linked worktree or a
// submodule. It returns false if a linked worktree has another top.
func commonOf(top, dir string, read func(string) (string, error)) (string, bool) {
	text, err := read(filepath.Join(dir, "commondir"))
	if err != nil {
		return dir, true
	}
	path := lineOf(text)
	if isOnHost(path) {
		return "", false
	}
	common := filepath.Clean(absoluteIn(dir, path))
	back, err := read(filepath.Join(dir, "gitdir"))
	isBack := err == nil && filepath.Clean(absoluteIn(dir, lineOf(back))) == filepath.Join(top, Entry)
	return common, isBack && filepath.Dir(filepath.Clean(dir)) == filepath.Join(common, "worktrees")
}

// hasWorktree reports whether core.worktree in the settings of a git directory is a top.
func hasWorktree(settings, dir, top string) (is bool) {
	eachSetting(settings, func(section, key, value string) {
		if strings.EqualFold(section, "[core]") && strings.EqualFold(key, "worktree") {
			is = filepath.Clean(absoluteIn(dir, value)) == filepath.Clean(top)
		}
	})
	return is
}

// add adds the remotes in the settings, and the branches that are known in dir and in the common directory.
func (r *Remotes) add(dir, common, settings string, read func(string) (string, error)) {
	eachSetting(settings, func(section, key, value string) {
		if !strings.HasPrefix(section, "[remote ") || !strings.EqualFold(key, "url") {
			return
		}
		r.URLs = append(r.URLs, value)
		name := strings.Trim(strings.TrimPrefix(section, "[remote "), `]"`)
		if filepath.IsLocal(name) {
			r.addBranch(read, filepath.Join(common, "refs", "remotes", name, "HEAD"), "ref: refs/remotes/"+name+"/")
		}
	})
	r.addBranch(read, filepath.Join(dir, "HEAD"), "ref: refs/heads/")
}

// eachSetting calls f with each setting of a configuration of git, and the line that starts its section.
func eachSetting(text string, f func(section, key, value string)) {
	section := ""
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		f(section, strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"`))
	}
}

func lineOf(text string) string { return strings.TrimRight(text, "\r\n") }

// addBranch adds the branch that a file names after a prefix.
func (r *Remotes) addBranch(read func(string) (string, error), file, prefix string) {
	text, err := read(file)
	if branch, ok := strings.CutPrefix(strings.TrimSpace(text), prefix); ok && err == nil {
		r.Branches = append(r.Branches, branch)
	}
}
