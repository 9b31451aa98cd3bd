// Package git reads git repositories: the commits and the index of the repository that a checked file lies in. It can also
// write texts to the index. It is the only package that knows what a repository looks like on disk, and the only one that runs git.
//
// # Repositories of strangers
//
// kindvet runs on files that strangers wrote, so nothing in a working tree and nothing in a git directory may run
// code, reach the network, or choose what a manifest is compared with:
//
//   - Repositories are found in Go, by their .git entry (see [Finder]). git never looks for one, so a directory that
//     is only laid out like a bare repository is never one.
//
//   - A .git file or link must name a git directory that points back to its working tree (see [Open]).
//
//   - git is run for plumbing only: rev-parse, merge-base, ls-tree, ls-files, cat-file, hash-object and config --get. None
//     of them runs filters, hooks, text conversion or diff programs. Files of the working tree are compared here, by the hash
//     of their bytes. A file is not read if the stat data of the index prove that it has not changed (see [statData]).
//
//   - The environment of git holds no GIT_ variable but ours, and the settings of system and user are not read.
//     Fetching is off.
//
//   - Only [Repository.Restage], for 'kindvet fix --staged', writes below .git: objects with hash-object, and the index
//     without git, which would run the hook post-index-change.
//
//   - Only [Fetch] uses the network, for 'kindvet schemas add', in an empty repository of its own.
//
// git checks who owns a repository only where it looks for one itself. Since no setting of a repository has an effect
// here, one of another owner, which is usual in a container, is read as any other.
package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Repository is a working tree and its git directory. Its methods are safe for concurrent use.
type Repository struct {
	// Top is the root of the working tree, with links followed.
	Top string

	dir     string // the git directory, with links followed
	index   string // the index file of the hook that runs kindvet; "" means that of the git directory
	program string // absolute
	limits  limits

	protocols string   // allowed for fetching, separated by colons; "" for none
	extra     []string // additional settings, for tests
}

// limits are the maximum sizes of what is read, in bytes, and the time that git may take.
type limits struct {
	listing  int64         // the names of a commit or of the index
	text     int64         // one file of a commit or of the index
	compared int64         // one file of the working tree; a larger one counts as changed
	silence  time.Duration // how long git may take until it writes more output, or ends
}

// defaultLimits are far above what large repositories need: the merge base of two commits of a repository with a
// million commits takes seconds.
func defaultLimits() limits {
	return limits{listing: 256 << 20, text: 256 << 20, compared: 64 << 20, silence: 2 * time.Minute}
}

// settings turn off what plumbing commands might still run: the file system monitor when git reads the index, and
// hooks. They also turn off git's advice about GIT_GRAFT_FILE.
func settings() []string {
	return []string{"-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c",
		"core.hooksPath=" + os.DevNull,
		"-c", "advice.graftFileDeprecated=false"}
}

// environment returns the environment for git. It is that of kindvet without the variables that control git. Added
// variables make git ignore system and user settings, replaced objects, grafts, the network and optional writes. A
// git before 2.44 does not know GIT_NO_LAZY_FETCH and may try to fetch a missing object. Therefore no protocol is
// allowed.
func (r *Repository) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return len(entry) >= 4 && strings.EqualFold(entry[:4], "GIT_")
	})
	env = append(env,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull,
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL="+cmp.Or(r.protocols, "none"), "GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	if r.index != "" {
		env = append(env, "GIT_INDEX_FILE="+r.index)
	}
	return env
}

// run runs git with the given input and passes its output to read. The error is the message of git or the error of
// read. If read fails, git is stopped.
func (r *Repository) run(ctx context.Context, in io.Reader, read func(*bufio.Reader) error, args ...string) error {
	running, end := context.WithCancel(ctx)
	defer end()
	c := exec.CommandContext(running, r.program, slices.Concat(
		[]string{"--no-pager", "--git-dir=" + r.dir, "--work-tree=" + r.Top}, settings(), r.extra, args)...)
	c.Dir, c.Env, c.Stdin, c.WaitDelay = r.Top, r.environment(), in, time.Second
	if r.protocols != "" { // only fetching starts other programs
		endTogether(c)
	}
	said := &head{left: 4 << 10}
	c.Stderr = said
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	waiting := &waiting{out: out, end: end}
	if r.protocols == "" { // a server may take any time
		waiting.limit = r.limits.silence
	}
	readErr := read(bufio.NewReaderSize(waiting, 64<<10))
	if readErr != nil {
		end()
	}
	err = c.Wait()
	hasEnded := errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case waiting.isOver.Load():
		return fmt.Errorf("git %s: %w after %v", args[0], errSilent, r.limits.silence)
	case readErr != nil && !hasEnded:
		return readErr
	case said.text.Len() > 0 && (err != nil || hasEnded):
		return errors.New(said.reason())
	case readErr != nil:
		return fmt.Errorf("git %s: %w", args[0], readErr)
	}
	return err
}

// line runs git and returns the one line that it prints.
func (r *Repository) line(ctx context.Context, args ...string) (string, error) {
	var line string
	err := r.run(ctx, nil, func(out *bufio.Reader) error {
		text, err := io.ReadAll(io.LimitReader(out, 64<<10))
		line, _, _ = strings.Cut(string(text), "\n")
		return err
	}, args...)
	return strings.TrimSuffix(line, "\r"), err
}

// head keeps the start of the bytes written to it.
type head struct {
	text bytes.Buffer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.left -= n
	h.text.Write(p[:n])
	return len(p), nil
}

// reason returns why git failed: its fatal message or, if there is none, all of its output.
func (h *head) reason() string {
	for line := range strings.Lines(h.text.String()) {
		if fatal, ok := strings.CutPrefix(line, "fatal: "); ok {
			return strings.TrimSpace(fatal)
		}
	}
	return strings.TrimSpace(h.text.String())
}
