package builtin

// The group lifecycle.k8s.io is new in 1.37.
