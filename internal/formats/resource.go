package formats

import "strings"

// Names of resources, such as cpu and example.com/gpu (k8s.io/kubernetes, pkg/apis/core/helper and
// pkg/apis/core/validation).

// standardResources are the names that a part of the cluster measures. For each of them: whether it is counted, so
// that quantities must be integers, and whether a ResourceQuota may limit it.
var standardResources = map[string]struct{ counted, quota bool }{
	"cpu":                        {quota: true},
	"memory":                     {quota: true},
	"ephemeral-storage":          {quota: true},
	"storage":                    {},
	"requests.cpu":               {quota: true},
	"requests.memory":            {quota: true},
	"requests.storage":           {quota: true},
	"requests.ephemeral-storage": {quota: true},
	"limits.cpu":                 {quota: true},
	"limits.memory":              {quota: true},
	"limits.ephemeral-storage":   {quota: true},
	"pods":                       {counted: true, quota: true},
	"resourcequotas":             {counted: true, quota: true},
	"services":                   {counted: true, quota: true},
	"replicationcontrollers":     {counted: true, quota: true},
	"secrets":                    {counted: true, quota: true},
	"configmaps":                 {counted: true, quota: true},
	"persistentvolumeclaims":     {counted: true, quota: true},
	"services.nodeports":         {counted: true, quota: true},
	"services.loadbalancers":     {counted: true, quota: true},
}

const hugePages = "hugepages-"

// isHugePages reports whether a quota may count pages of a size.
func isHugePages(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "requests."), hugePages)
}

// isResourceName is validateResourceName.
func isResourceName(name string) bool {
	if CheckQualifiedName(name) != nil {
		return false
	}
	_, isStandard := standardResources[name]
	return strings.Contains(name, "/") || isStandard || isHugePages(name)
}

// isQuotaResourceName is ValidateResourceQuotaResourceName.
func isQuotaResourceName(name string) bool {
	return isResourceName(name) && (strings.Contains(name, "/") || isStandardQuotaResource(name))
}

// isStandardQuotaResource is helper.IsStandardQuotaResourceName.
func isStandardQuotaResource(name string) bool {
	return standardResources[name].quota || isHugePages(name)
}

// isContainerResource is validateContainerResourceName.
func isContainerResource(name string) bool {
	switch {
	case !isResourceName(name):
		return false
	case !strings.Contains(name, "/"):
		return name == "cpu" || name == "memory" || name == "ephemeral-storage" || strings.HasPrefix(name, hugePages)
	}
	return isNativeResource(name) || isExtendedResource(name)
}

// isNativeResource is helper.IsNativeResource.
func isNativeResource(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

// isExtendedResource is helper.IsExtendedResourceName.
func isExtendedResource(name string) bool {
	return !isNativeResource(name) && !strings.HasPrefix(name, "requests.") && CheckQualifiedName("requests."+name) == nil
}

// isCountedResource is helper.IsIntegerResourceName.
func isCountedResource(name string) bool {
	return standardResources[name].counted || isExtendedResource(name)
}
