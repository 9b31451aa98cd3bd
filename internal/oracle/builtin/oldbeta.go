package builtin

import "k8s.io/apimachinery/pkg/runtime/schema"

// oldBeta are the beta resources that are served by default.
var oldBeta []schema.GroupVersionResource
