package builtin

import (
	"strings"

	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// servedByDefault returns what kube-apiserver serves by default (pkg/controlplane, DefaultAPIResourceConfigSource): the
// stable versions, and beta versions that are older than the rule that they are off by default. Upstream's own list is
// in a package whose build would take a third longer.
func servedByDefault() *serverstorage.ResourceConfig {
	c := serverstorage.NewResourceConfig()
	for _, gv := range legacyscheme.Scheme.PrioritizedVersionsAllGroups() {
		if strings.Contains(gv.Version, "alpha") || strings.Contains(gv.Version, "beta") {
			c.DisableVersions(gv)
		} else {
			c.EnableVersions(gv)
		}
	}
	c.EnableResources(oldBeta...)
	return c
}
