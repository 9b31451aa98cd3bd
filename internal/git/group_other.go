//go:build !unix

package git

import "os/exec"

// endTogether does nothing, because this system has no process groups.
func endTogether(*exec.Cmd) {}
