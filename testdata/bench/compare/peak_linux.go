package main

import (
	"os"
	"syscall"
)

// peak is the most resident memory of a process that has ended, in bytes. The kernel counts it from what the parent
// took when the process began: this command takes about 6 MiB, less than any of the tools.
func peak(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
