package catalog

import (
	"cmp"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
)

// lifecycle holds the minor versions of Kubernetes 1 that introduced, deprecated and removed a version of a kind; 0 if
// there is none.
type lifecycle struct {
	introduced, deprecated, removed int
	replacement                     identity // or the zero value
	instead                         string   // what to use if there is no replacement; may be ""
}

// lifecycleFiles list the versions of kinds, a line for each: group, version, kind, the versions of Kubernetes that
// introduced, deprecated and removed it, its replacement as group/version/Kind and, in the second file, what else to
// use. The first file is generated from k8s.io/api. The second one holds versions that are no longer part of it.
var lifecycleFiles = []string{"lifecycle.tsv", "removed.tsv"}

var lifecycles = sync.OnceValue(func() map[identity]lifecycle {
	all := map[identity]lifecycle{}
	for _, name := range lifecycleFiles {
		for id, f := range kubernetesLines(name) {
			l := lifecycle{
				introduced: minorIn(f[0]), deprecated: minorIn(f[1]), removed: minorIn(f[2]), replacement: parseIdentity(f[3]),
			}
			if len(f) > 4 && f[4] != "-" {
				l.instead = f[4]
			}
			all[id] = l
		}
	}
	return all
})

// servedSince holds the first minor version of Kubernetes that serves a version of a kind by default. It is 0 if the
// oldest known version does.
var servedSince = sync.OnceValue(func() map[identity]int {
	all := map[identity]int{}
	for id, f := range kubernetesLines("kinds.tsv") {
		if f[7] == "on" {
			all[id] = minorIn(f[5])
		}
	}
	return all
})

// Served returns the kinds that an API server serves, each with its API version, such as batch/v1/CronJob.
func Served(s Server) (kinds []string) {
	for id, f := range kubernetesLines("kinds.tsv") {
		if lives(f[5], f[6], s.minor()) && s.serves(id.apiVersion(), f[1], f[7] == "on") {
			kinds = append(kinds, id.apiVersion()+"/"+id.kind)
		}
	}
	return kinds
}

// kubernetesLines returns the versions of kinds in a file, each with the columns after group, version and kind.
func kubernetesLines(name string) iter.Seq2[identity, []string] {
	return func(yield func(identity, []string) bool) {
		for line := range strings.Lines(kubernetesFile(name)) {
			if line[0] == '#' {
				continue
			}
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if !yield(identity{strings.TrimPrefix(f[0], "-"), f[1], f[2]}, f[3:]) {
				return
			}
		}
	}
}

// item returns the kind of the items of a list kind, and any other kind itself.
func (i identity) item() identity {
	i.kind = strings.TrimSuffix(i.kind, listSuffix)
	return i
}

// listSuffix ends the name of the list kind of a kind of Kubernetes.
const listSuffix = "List"

// lifecycleOf returns the lifecycle of a version of a kind that Kubernetes deprecated, removed or does not serve by
// default. A list has the lifecycle of its items. It returns false if there is none.
func lifecycleOf(id identity) (lifecycle, bool) {
	l, ok := lifecycles()[id.item()]
	if l.replacement.kind != "" && id != id.item() {
		l.replacement.kind += listSuffix
	}
	return l, ok
}

// parseIdentity reads group/version/Kind, version/Kind or -.
func parseIdentity(text string) identity {
	apiVersion, kind, ok := cutLast(text, "/")
	if !ok {
		return identity{}
	}
	group, version := SplitAPIVersion(apiVersion)
	return identity{group, version, kind}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// use returns the help to use the replacement of a kind in a minor version of Kubernetes. It may be "".
func (l *lifecycle) use(kind string, minor int) string {
	to := l.replacement
	if to.kind == "" {
		if l.instead == "" {
			return ""
		}
		return "use " + l.instead
	}
	help := "use " + to.apiVersion()
	if to.kind != kind {
		help += " " + to.kind
	}
	if since := servedSince()[to.item()]; since > minor {
		help += fmt.Sprintf(" with Kubernetes 1.%d or later", since)
	}
	return help
}

func (i identity) apiVersion() string {
	return (&Kind{Group: i.group, Version: i.version}).APIVersion()
}

// lifecycle explains a version of a kind that the selected version of Kubernetes does not serve, or not by default.
func (c *Catalog) lifecycle(id identity) (Unknown, bool) {
	l, ok := lifecycleOf(id)
	if !ok {
		l.introduced = servedSince()[id.item()]
	}
	name := id.apiVersion() + " " + id.kind
	switch {
	case l.removed != 0 && l.removed <= c.kubernetes:
		u := Unknown{
			Rule: diag.DeprecatedVersion, Near: true, Help: l.use(id.kind, c.kubernetes),
			Message: fmt.Sprintf("Kubernetes 1.%d removed %s", l.removed, name),
		}
		if to := l.replacement; to.kind == id.kind && servedSince()[to.item()] <= c.kubernetes {
			u.Use, u.IsSafe = to.apiVersion(), to.group == id.group
		}
		return u, true
	case l.introduced > c.kubernetes:
		return Unknown{
			Rule: diag.UnknownVersion, Near: true, Help: fmt.Sprintf("it is new in 1.%d", l.introduced),
			Message: fmt.Sprintf("Kubernetes 1.%d does not serve %s", c.kubernetes, name),
		}, true
	case !ok:
		return Unknown{}, false
	case isPrerelease(id.version):
		return Unknown{
			Rule: diag.UnknownVersion, Message: name + " is not served by default",
			Hint: "API servers do not serve " + id.version + " of " + cmp.Or(id.group, "the core group") +
				" by default; if yours do, set apis: {" + id.apiVersion() + ": true} in .kindvet.yaml",
		}, true
	}
	// It is not a resource, such as v1 ComponentStatus.
	return Unknown{Rule: diag.UnknownKind, Near: true, Message: "objects of kind " + id.kind + " cannot be created"}, true
}

func isPrerelease(version string) bool {
	return strings.Contains(version, "alpha") || strings.Contains(version, "beta")
}

// removedGroup explains a kind of a group of which Kubernetes serves no version any more, such as extensions.
func (c *Catalog) removedGroup(group, kind string) (Unknown, bool) {
	removed := 0
	for id, l := range lifecycles() {
		if id.group == group && (l.removed == 0 || l.removed > c.kubernetes || l.replacement.group == group) {
			return Unknown{}, false // another version of the group is served
		}
		if id.group == group {
			removed = max(removed, l.removed)
		}
	}
	for id := range servedSince() {
		if id.group == group {
			return Unknown{}, false
		}
	}
	if removed == 0 {
		return Unknown{}, false
	}
	return Unknown{
		Rule: diag.DeprecatedVersion, Near: true, Help: c.index().elsewhere(kind), APIVersions: c.index().versionsElsewhere(kind),
		Message: fmt.Sprintf("Kubernetes 1.%d removed API group %s", removed, group),
	}, true
}

// deprecation returns the warning about a version of a kind that is served but deprecated, or "".
func deprecation(id identity, minor int) (warning, help string) {
	l, _ := lifecycleOf(id)
	if l.deprecated == 0 || l.deprecated > minor {
		return "", ""
	}
	name := id.apiVersion() + " " + id.kind
	warning = fmt.Sprintf("Kubernetes 1.%d deprecated %s", l.deprecated, name)
	if l.removed != 0 {
		warning = fmt.Sprintf("Kubernetes 1.%d removes %s", l.removed, name)
	}
	return warning, l.use(id.kind, minor)
}
