package git

import (
	"io/fs"
	"syscall"
)

// statOf returns what the git index keeps of lstat, and the device. It returns false if the system does not say.
func statOf(info fs.FileInfo) (stat, uint64, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{}, 0, false
	}
	return stat{
		ctime: uint32(s.Ctimespec.Sec), ctimeNano: uint32(s.Ctimespec.Nsec),
		mtime: uint32(s.Mtimespec.Sec), mtimeNano: uint32(s.Mtimespec.Nsec),
		ino: uint32(s.Ino), uid: s.Uid, gid: s.Gid, size: uint32(s.Size),
	}, uint64(s.Dev), true
}
