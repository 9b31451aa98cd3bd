package catalog

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
)

// lifecycle holds the minor versions of Kubernetes 1 that introduced, deprecated and removed a version of a kind; 0 if
// there is none. use is what replaces it: an apiVersion, an apiVersion and a kind, or a phrase. It may be "".
type lifecycle struct {
	introduced, deprecated, removed int
	use                             string
}

// lifecycleFiles list the versions of kinds, a line for each: group, version, kind, the versions of Kubernetes that
// introduced, deprecated and removed it, its replacement as group/version/Kind and, in the second file, what else to use.
// The first file is generated from k8s.io/api. The second one holds versions that are no longer part of it.
var lifecycleFiles = []string{"lifecycle.tsv", "removed.tsv"}

var lifecycleTexts = sync.OnceValue(func() (texts []string) {
	for _, name := range lifecycleFiles {
		texts = append(texts, kubernetesFile(name))
	}
	return texts
})

// lifecycleOf returns the lifecycle of a version of a kind. It returns false if Kubernetes never had it.
func lifecycleOf(id identity) (l lifecycle, ok bool) {
	start := "\n" + cmp.Or(id.group, "-") + "\t" + id.version + "\t" + id.kind + "\t"
	for _, text := range lifecycleTexts() {
		_, line, found := strings.Cut(text, start)
		if !found {
			continue
		}
		line, _, _ = strings.Cut(line, "\n")
		f := strings.Split(line, "\t")
		l = lifecycle{minorIn(f[0]), minorIn(f[1]), minorIn(f[2]), replacement(id.kind, f[3])}
		if len(f) > 4 && f[4] != "-" {
			l.use = "use " + f[4]
		}
		return l, true
	}
	return lifecycle{}, false
}

// replacement returns what to use instead of a kind, given group/version/Kind or -.
func replacement(kind, text string) string {
	i := strings.LastIndexByte(text, '/')
	switch {
	case i < 0:
		return ""
	case text[i+1:] != kind:
		return "use " + text[:i] + " " + text[i+1:]
	}
	return "use " + text[:i]
}

// lifecycle explains a version of a kind that the selected version of Kubernetes does not serve, or not by default.
func (c *Catalog) lifecycle(id identity) (Unknown, bool) {
	l, ok := lifecycleOf(id)
	if !ok {
		return Unknown{}, false
	}
	name := (&Kind{Group: id.group, Version: id.version}).APIVersion() + " " + id.kind
	u := Unknown{Rule: diag.DeprecatedVersion, Near: true}
	switch {
	case l.removed != 0 && l.removed <= c.kubernetes:
		u.Message = fmt.Sprintf("%s was removed in Kubernetes 1.%d", name, l.removed)
		u.Help = l.use
	case l.introduced > c.kubernetes:
		u.Message = fmt.Sprintf("%s is new in Kubernetes 1.%d; the selected version is 1.%d", name, l.introduced, c.kubernetes)
		if e, ok := c.Entry(id.group, id.kind); ok {
			u.Help = "use " + (&Kind{Group: id.group, Version: e.Versions[len(e.Versions)-1]}).APIVersion()
		}
	case isPrerelease(id.version):
		u = Unknown{Rule: diag.UnknownVersion, Message: "Kubernetes does not serve " + name + " by default",
			Hint: "API servers do not serve " + id.version + " of " + cmp.Or(id.group, "the core group") + " by default"}
	default: // a kind that is not a resource, such as v1 PodExecOptions
		u = Unknown{Rule: diag.UnknownKind, Message: "objects of kind " + id.kind + " cannot be created"}
	}
	return u, true
}

func isPrerelease(version string) bool {
	return strings.Contains(version, "alpha") || strings.Contains(version, "beta")
}

// deprecation returns the warning about a version of a kind that is served but deprecated, or "".
func deprecation(id identity, minor int) (warning, use string) {
	l, _ := lifecycleOf(id)
	if l.deprecated == 0 || l.deprecated > minor {
		return "", ""
	}
	warning = fmt.Sprintf("%s is deprecated since Kubernetes 1.%d", (&Kind{Group: id.group, Version: id.version}).APIVersion()+" "+id.kind, l.deprecated)
	if l.removed != 0 {
		warning += fmt.Sprintf(", and 1.%d removes it", l.removed)
	}
	return warning, l.use
}
