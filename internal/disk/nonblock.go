//go:build unix || windows

package disk

import "syscall"

// nonblock makes opening a FIFO return at once. Windows ignores it.
const nonblock = syscall.O_NONBLOCK
