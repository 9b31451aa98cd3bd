package fix

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"unsafe"
)

// Numbers of Linux that package syscall lacks (open(2), linkat(2)).
const (
	openTemporary = 0x400000 | syscall.O_DIRECTORY
	atCurrent     = -100
	atFollowLink  = 0x400
)

// createTemp creates a file without a name in a directory: if the program is killed, nothing is left. On file systems that do not
// have such files, it has a name.
func createTemp(dir string) (*os.File, error) {
	fd, err := syscall.Open(dir, openTemporary|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return os.CreateTemp(dir, tempName+"*")
	}
	return os.NewFile(uintptr(fd), dir), nil
}

// nameTemp gives a file from createTemp a name, if it has none, and returns that.
func nameTemp(f *os.File, dir string) (string, error) {
	if f.Name() != dir {
		return f.Name(), nil
	}
	from, err := syscall.BytePtrFromString("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return "", err
	}
	const tries = 100
	for range tries {
		name := filepath.Join(dir, tempName+strconv.FormatUint(rand.Uint64(), 36))
		to, err := syscall.BytePtrFromString(name)
		if err != nil {
			return "", err
		}
		current := atCurrent
		_, _, errno := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(current), uintptr(unsafe.Pointer(from)), uintptr(current),
			uintptr(unsafe.Pointer(to)), atFollowLink, 0)
		switch errno {
		case 0:
			return name, nil
		case syscall.EEXIST:
		default:
			return "", &os.PathError{Op: "link", Path: name, Err: errno}
		}
	}
	return "", &os.PathError{Op: "link", Path: dir, Err: os.ErrExist}
}
