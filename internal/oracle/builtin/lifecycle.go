package builtin

import _ "k8s.io/kubernetes/pkg/apis/lifecycle/install"
