package main

import (
	"os"
	"syscall"
)

// peak is the most resident memory of a process that has ended, in bytes. The kernel counts it from the parent's when the process began.
func peak(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
