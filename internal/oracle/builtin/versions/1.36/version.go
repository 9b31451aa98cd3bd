package builtin

// Version is the version of kube-apiserver whose verdicts these are.
const Version = "1.36.3"
