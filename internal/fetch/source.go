package fetch

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/projects"
)

// Source is a source of CRDs, as the arguments of 'kindvet schemas add' name it.
type Source struct {
	// Text is the source as the user typed it.
	Text string
	// Name is the name of the source in the lock file, without the version. Version is "" for a source without
	// versions.
	Name, Version string

	kind  kind
	url   string
	paths []string // below the root of an archive or repository; nil for all of it
	// hasRoot reports whether all files of an archive are in one top-level directory, which is not part of paths.
	hasRoot bool
	project projects.Project
	groups  []string // of a project; nil for all of them
}

// IsPath reports whether the source is a file or directory.
func (s Source) IsPath() bool { return s.kind == ofPath }

// IsProject reports whether the source is a known project.
func (s Source) IsProject() bool { return s.kind == ofProject }

type kind int

const (
	ofPath kind = iota
	ofCluster
	ofURL
	ofGit
	ofProject
)

// Cluster is the name of the current cluster as a source.
const Cluster = "cluster"

// Parse parses a source. The name of an existing file or directory means that file or directory, unless it is
// "cluster" or a URL.
func Parse(text string) (Source, error) { return parseWith(parse, text) }

// ParseProject parses a source that is a known project. Unlike [Parse], it never returns a file: a repository whose
// files state the version of a project may also have a file of that name.
func ParseProject(text string) (Source, error) { return parseWith(parseProject, text) }

func parseWith(parse func(string) (Source, error), text string) (Source, error) {
	s, err := parse(text)
	s.Text = text
	if err != nil {
		return s, fmt.Errorf("%s: %w", text, err)
	}
	return s, nil
}

func parse(text string) (Source, error) {
	if text == Cluster {
		return Source{Name: Cluster, kind: ofCluster}, nil
	}
	if git, ok := strings.CutPrefix(text, "git+"); ok {
		return parseGit(git)
	}
	if strings.Contains(text, "://") {
		return parseURL(text)
	}
	if _, err := os.Stat(text); err == nil {
		return Source{Name: filepath.ToSlash(filepath.Clean(text)), kind: ofPath}, nil
	}
	return parseProject(text)
}

// parseURL parses a URL. "//" and a path may follow the URL of an archive.
func parseURL(text string) (Source, error) {
	address, below, _ := cutPath(text)
	if err := checkURL(address); err != nil {
		return Source{}, err
	}
	s := Source{Name: text, kind: ofURL, url: address, hasRoot: true}
	return s.withPath(below)
}

// parseGit parses URL@VERSION//PATH. The path is optional.
func parseGit(text string) (Source, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	host, repository, _ := strings.Cut(rest, "/")
	at := strings.Index(repository, "@")
	if at < 0 && !strings.Contains(host, "@") {
		return Source{}, errors.New("names no version; write git+https://HOST/REPOSITORY@TAG//PATH")
	}
	address := text
	version, below := "", ""
	if at >= 0 {
		address = scheme + "://" + host + "/" + repository[:at]
		version, below, _ = strings.Cut(repository[at+1:], "//")
	}
	if err := checkURL(address); err != nil {
		return Source{}, err
	}
	if !isVersion(version) {
		return Source{}, fmt.Errorf("%q is not a git tag or commit", version)
	}
	s := Source{Name: "git+" + address, Version: version, kind: ofGit, url: address}
	if below != "" {
		s.Name += "//" + below
	}
	return s.withPath(below)
}

// parseProject parses NAME@VERSION, or NAME@VERSION//GROUP,GROUP for a part of a project.
func parseProject(text string) (Source, error) {
	name, version, hasVersion := strings.Cut(text, "@")
	version, list, hasGroups := strings.Cut(version, "//")
	p, ok := projects.Named(name)
	switch {
	case !ok && !hasVersion:
		return Source{}, errors.New("no such file or directory, and not a known project" + didYouMean(name))
	case !ok:
		return Source{}, errors.New("unknown project" + didYouMean(name))
	case version == "":
		return Source{}, fmt.Errorf("names no version; write, for example, %s", p.Source())
	case !isVersion(version) || strings.Contains(version, "/"):
		return Source{}, fmt.Errorf("%q is not a version; write, for example, %s", version, p.Source())
	}
	s := Source{
		Name: name, Version: version, kind: ofProject, hasRoot: true, project: p,
		url: p.Repository + "/archive/" + p.Ref(version) + ".tar.gz",
	}
	if hasGroups {
		s.groups, s.Name = strings.Split(list, ","), name+"//"+list
		for _, group := range s.groups {
			if !isGroup(group) {
				return Source{}, fmt.Errorf("%q is not an API group", group)
			}
		}
	}
	return s, nil
}

// isGroup reports whether a text can be an API group.
func isGroup(text string) bool {
	return text != "" && !strings.Contains(text, "..") && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == '-' || r == '.')
	})
}

func didYouMean(name string) string {
	var names []string
	for _, p := range projects.All() {
		names = append(names, p.Name)
	}
	if near, ok := nearest.Name(name, names); ok {
		return "; did you mean " + near + "?"
	}
	return "; 'kindvet schemas list --known' lists them"
}

// isVersion reports whether a text can be a git tag and has no special meaning in a URL or to git.
func isVersion(text string) bool {
	if text == "" || strings.HasPrefix(text, "-") || strings.Contains(text, "..") || strings.HasSuffix(text, ".lock") {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._+-/", r))
	})
}

// cutPath splits a URL into the address of an archive and the path below its root.
func cutPath(text string) (address, below string, ok bool) {
	scheme, rest, _ := strings.Cut(text, "://")
	address, below, ok = strings.Cut(rest, "//")
	return scheme + "://" + address, below, ok
}

// checkURL returns why a URL must not be fetched; nil if it may be.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("is not a valid URL")
	case u.Scheme != "https":
		return fmt.Errorf("only https:// is fetched, not %s://", u.Scheme)
	case u.User != nil:
		return errors.New("has a user name; credentials are not sent")
	case u.Host == "":
		return errors.New("has no host")
	}
	return nil
}

// withPath returns the source restricted to a path below the root. The path may be "".
func (s Source) withPath(below string) (Source, error) {
	below = strings.TrimSuffix(below, "/")
	if below == "" {
		return s, nil
	}
	if !filepath.IsLocal(filepath.FromSlash(below)) || path.Clean(below) != below {
		return s, fmt.Errorf("%q is not a path below the root", below)
	}
	s.paths = []string{below}
	return s, nil
}

// wants reports whether the file at a path may contain CRDs of the source.
func (s Source) wants(name string) bool {
	if !isSchema(name) {
		return false
	}
	if s.kind == ofProject {
		_, below, _ := strings.Cut(name, "/")
		return s.project.Has(below) && s.hasGroup(path.Base(below))
	}
	if len(s.paths) == 0 || slices.ContainsFunc(s.paths, func(p string) bool { return isWithin(p, name) }) {
		return true
	}
	_, below, ok := strings.Cut(name, "/")
	return s.hasRoot && ok && slices.ContainsFunc(s.paths, func(p string) bool { return isWithin(p, below) })
}

// hasGroup reports whether a file of a project may have kinds of the groups. Only the files of projects with very many
// kinds are named after their groups.
func (s Source) hasGroup(file string) bool {
	return len(s.groups) == 0 || len(s.project.Domains) == 0 ||
		slices.ContainsFunc(s.groups, func(group string) bool { return strings.Contains(file, group) })
}

// Wants reports whether a CRD of a group is one of the source.
func (s Source) Wants(group string) bool {
	return len(s.groups) == 0 || slices.Contains(s.groups, group)
}

func isWithin(directory, name string) bool {
	return name == directory || strings.HasPrefix(name, directory+"/")
}

func isSchema(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(path.Ext(name)))
}
