package catalog

import (
	"cmp"
	"regexp"
	"strconv"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

func isDeprecated(version manifest.Node) bool {
	f := version.At("deprecated")
	return f.Valid() && f.Boolean()
}

// newer returns the help to use the newest version of a CRD that is served and not deprecated, or "" if the given
// version is newer (k8s.io/apiextensions-apiserver, pkg/apiserver.defaultDeprecationWarning).
func (p *crdParser) newer(group, version string) string {
	newest := version
	for v := range p.root.At("spec", "versions").Children() {
		if name := v.TextAt("name"); isServed(v) && !isDeprecated(v) && comparePriority(name, newest) > 0 {
			newest = name
		}
	}
	if newest == version {
		return ""
	}
	return "use " + (&Kind{Group: group, Version: newest}).APIVersion()
}

// kubeVersion matches versions that follow the naming of Kubernetes.
var kubeVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?$`)
})

// comparePriority compares versions by the priority of CRDs: stable ones first, then beta and alpha ones, then other
// names in alphabetical order (k8s.io/apimachinery, pkg/version.CompareKubeAwareVersionStrings).
func comparePriority(a, b string) int {
	x, y := kubeVersion().FindStringSubmatch(a), kubeVersion().FindStringSubmatch(b)
	switch {
	case x == nil && y == nil:
		return cmp.Compare(b, a)
	case x == nil:
		return -1
	case y == nil:
		return 1
	}
	stability := map[string]int{"": 2, "beta": 1}
	return cmp.Or(cmp.Compare(stability[x[2]], stability[y[2]]), compareNumbers(x[1], y[1]), compareNumbers(x[3], y[3]))
}

func compareNumbers(a, b string) int {
	x, _ := strconv.Atoi(a)
	y, _ := strconv.Atoi(b)
	return cmp.Compare(x, y)
}
