package catalog

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/projects"
)

// isKnownGroup reports whether a group exists. Such a group is not a misspelled one, even if the catalog has none of
// its kinds.
func isKnownGroup(group string) bool {
	_, ok := projects.ForGroup(group)
	return ok || IsKubernetesGroup(group)
}

// IsKubernetesGroup reports whether a group is part of Kubernetes: its API, including groups that it no longer serves,
// its aggregated APIs, and the files that its programs read (k8s.io/api, k8s.io/kubernetes/pkg/apis, k8s.io/metrics).
func IsKubernetesGroup(group string) bool {
	switch group {
	case "", "apps", "autoscaling", "batch", "extensions", "policy",
		"admission.k8s.io", "admissionregistration.k8s.io", "apidiscovery.k8s.io", "apiextensions.k8s.io",
		"apiregistration.k8s.io", "auditregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io",
		"certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io",
		"imagepolicy.k8s.io", "internal.apiserver.k8s.io", "lifecycle.k8s.io", "meta.k8s.io", "networking.k8s.io",
		"node.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "settings.k8s.io", "storage.k8s.io",
		"storagemigration.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io", "metrics.k8s.io",
		"apiserver.config.k8s.io", "apiserver.k8s.io", "audit.k8s.io", "client.authentication.k8s.io",
		"cloudcontrollermanager.config.k8s.io", "controllermanager.config.k8s.io", "credentialprovider.kubelet.k8s.io",
		"kubeadm.k8s.io", "kubecontrollermanager.config.k8s.io", "kubelet.config.k8s.io", "kubeproxy.config.k8s.io",
		"kubescheduler.config.k8s.io", "pod-security.admission.config.k8s.io", "resourcequota.admission.k8s.io",
		"eventratelimit.admission.k8s.io", "podtolerationrestriction.admission.k8s.io":
		return true
	}
	return false
}

// IsKubernetesDomain reports whether a group is in a domain that only Kubernetes and its special interest groups use.
func IsKubernetesDomain(group string) bool {
	domain := "." + group
	return IsKubernetesGroup(group) || strings.HasSuffix(domain, ".k8s.io") || strings.HasSuffix(domain, ".x-k8s.io") ||
		strings.HasSuffix(domain, ".kubernetes.io")
}

// IsBuiltInGroup reports whether a group has built-in kinds, apart from those of Kubernetes.
func (c *Catalog) IsBuiltInGroup(group string) bool {
	return slices.ContainsFunc(c.Entries(), func(e *Entry) bool {
		return e.Origin == BuiltIn && e.Group == group && e.Group != kubernetesGroup
	})
}

// IsBare reports whether a name is that of a built-in kind without metadata, apart from those of Kubernetes.
func (c *Catalog) IsBare(kind string) bool {
	return slices.ContainsFunc(c.Entries(), func(e *Entry) bool {
		if e.Origin != BuiltIn || e.Name != kind {
			return false
		}
		k, ok := e.nearest("")
		return ok && k.Resource.NoMetadata
	})
}
