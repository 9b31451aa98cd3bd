//go:build unix

package git

import (
	"io"
	"syscall"
)

// readRegular reads a regular file that is not empty and has at most limit bytes. It takes the fewest system calls: those
// are most of the time for a small file. It does not wait for a FIFO, and does not follow a link in place of the file.
func readRegular(name string, limit int64) ([]byte, bool) {
	fd, err := openRegular(name)
	if err != nil {
		return nil, false
	}
	defer syscall.Close(fd)
	var stat syscall.Stat_t
	if syscall.Fstat(fd, &stat) != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFREG || stat.Size == 0 || stat.Size > limit {
		return nil, false
	}
	text := make([]byte, stat.Size)
	_, err = io.ReadFull(reader(fd), text)
	return text, err == nil
}

func openRegular(name string) (fd int, err error) {
	for {
		fd, err = syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

// reader is an open file.
type reader int

func (r reader) Read(buffer []byte) (int, error) {
	for {
		switch n, err := syscall.Read(int(r), buffer); {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}
