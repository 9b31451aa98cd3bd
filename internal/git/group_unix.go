//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// endTogether makes a command end with all programs that it starts. Otherwise those of a stopped 'git fetch' would
// continue to download, without a limit, if the server does not speak version 2 of the protocol.
func endTogether(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
