package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/semver"
)

// Capabilities describe the cluster to templates, as .Capabilities (Helm's pkg/chartutil/capabilities.go).
type Capabilities struct {
	KubeVersion KubeVersion
	APIVersions versionSet
	HelmVersion helmVersion
}

// KubeVersion is a version of Kubernetes, as templates see it.
type KubeVersion struct {
	Version, Major, Minor string
}

// String returns the version, such as v1.36.0.
func (v KubeVersion) String() string { return v.Version }

// GitVersion returns the version, such as v1.36.0.
func (v KubeVersion) GitVersion() string { return v.Version }

// NewKubeVersion returns a version for templates.
func NewKubeVersion(v *semver.Version) KubeVersion {
	return KubeVersion{
		Version: "v" + v.String(), Major: strconv.FormatUint(v.Major(), 10), Minor: strconv.FormatUint(v.Minor(), 10),
	}
}

type helmVersion struct {
	Version      string `json:"version,omitempty"`
	GitCommit    string `json:"git_commit,omitempty"`
	GitTreeState string `json:"git_tree_state,omitempty"`
	GoVersion    string `json:"go_version,omitempty"`
}

type versionSet []string

// Has reports whether the cluster serves an API version, such as apps/v1.
func (s versionSet) Has(version string) bool { return slices.Contains(s, version) }

// NewCapabilities returns the capabilities of a minor version of Kubernetes 1. API versions are in addition to those
// that 'helm template' assumes and servedVersion.
func NewCapabilities(minor int, additional []string) *Capabilities {
	return &Capabilities{
		KubeVersion: NewKubeVersion(semver.New(1, uint64(minor), 0)),
		APIVersions: append(append(strings.Fields(helmVersions), servedVersion), additional...),
		HelmVersion: helmVersion{Version: "v3.19.0"},
	}
}

// servedVersion is an API version that every API server serves, but 'helm template' does not assume: a chart that asks
// for it would be checked with a version that Kubernetes 1.22 removed.
const servedVersion = "apiregistration.k8s.io/v1"

// helmVersions are the API versions that 'helm template' of Helm 3.19 assumes, for each version of Kubernetes.
const helmVersions = `
v1 admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1
internal.apiserver.k8s.io/v1alpha1 apps/v1 apps/v1beta1 apps/v1beta2 authentication.k8s.io/v1
authentication.k8s.io/v1alpha1 authentication.k8s.io/v1beta1 authorization.k8s.io/v1 authorization.k8s.io/v1beta1
autoscaling/v1 autoscaling/v2 autoscaling/v2beta1 autoscaling/v2beta2 batch/v1 batch/v1beta1 certificates.k8s.io/v1
certificates.k8s.io/v1beta1 certificates.k8s.io/v1alpha1 coordination.k8s.io/v1alpha2 coordination.k8s.io/v1beta1
coordination.k8s.io/v1 discovery.k8s.io/v1 discovery.k8s.io/v1beta1 events.k8s.io/v1 events.k8s.io/v1beta1
extensions/v1beta1 flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta1
flowcontrol.apiserver.k8s.io/v1beta2 flowcontrol.apiserver.k8s.io/v1beta3 networking.k8s.io/v1
networking.k8s.io/v1beta1 node.k8s.io/v1 node.k8s.io/v1alpha1 node.k8s.io/v1beta1 policy/v1 policy/v1beta1
rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1beta1 rbac.authorization.k8s.io/v1alpha1 resource.k8s.io/v1
resource.k8s.io/v1beta2 resource.k8s.io/v1beta1 resource.k8s.io/v1alpha3 scheduling.k8s.io/v1alpha1
scheduling.k8s.io/v1beta1 scheduling.k8s.io/v1 storage.k8s.io/v1beta1 storage.k8s.io/v1 storage.k8s.io/v1alpha1
storagemigration.k8s.io/v1alpha1 apiextensions.k8s.io/v1beta1 apiextensions.k8s.io/v1
`
