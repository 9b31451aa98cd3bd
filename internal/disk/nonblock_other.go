//go:build !unix && !windows

package disk

const nonblock = 0
