package builtin

import "k8s.io/apimachinery/pkg/runtime/schema"

// oldBeta are the beta resources that are served by default.
var oldBeta = []schema.GroupVersionResource{
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "flowschemas"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "prioritylevelconfigurations"},
}
