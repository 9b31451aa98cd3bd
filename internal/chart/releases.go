package chart

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/semver"
)

// Versions of Kubernetes that are tried, and how vendors name theirs. For a semantic version that is a pre-release. A
// longer range of versions is not examined: each version is compared with all of it. In 29 public repositories, ranges
// have at most 11 bytes.
const (
	oldestTried, newestTried = 16, 50
	vendorSuffix             = "-eks-1"
	longestRange             = 200
)

// releasesOnly returns the warning that kubeVersion allows only versions without a suffix, so that the chart cannot be
// installed on EKS or GKE.
func (c *Chart) releasesOnly() faults {
	wanted := c.metadata.KubeVersion
	field, ok := c.root(c.src).field("kubeVersion")
	if !ok || field.Type() != manifest.String || len(wanted) > longestRange || !allowsReleasesOnly(wanted) {
		return nil
	}
	f := fault{
		message: "kubeVersion: " + diag.Quote(wanted) + " rejects the versions of EKS and GKE, such as 1.34.6" + vendorSuffix,
		help:    "add -0 to each version, such as >= 1.19.0-0", at: field.Place(),
	}
	if use := plainVersion().ReplaceAllString(wanted, "${1}-0"); allowsSuffix(use) {
		f.help, f.fixes = "use "+diag.Quote(use), field.TextFix(use)
	}
	return faults{f}
}

// plainVersion matches a version without a suffix in a range.
var plainVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(v?\d+(?:\.\d+){0,2})(?:$|\b)`) })

// allowsReleasesOnly reports whether a range allows a version of Kubernetes, but no version with a suffix.
func allowsReleasesOnly(wanted string) bool {
	constraint, err := semver.NewConstraint(wanted)
	if err != nil {
		return false
	}
	allows := func(suffix string) bool {
		for minor := oldestTried; minor <= newestTried; minor++ {
			v, err := semver.NewVersion(fmt.Sprintf("1.%d.5%s", minor, suffix))
			if err == nil && constraint.Check(v) {
				return true
			}
		}
		return false
	}
	return allows("") && !allows(vendorSuffix)
}

func allowsSuffix(wanted string) bool {
	_, err := semver.NewConstraint(wanted)
	return err == nil && !allowsReleasesOnly(wanted)
}
