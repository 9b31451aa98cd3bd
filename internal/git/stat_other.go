//go:build !linux && !darwin

package git

import "io/fs"

// statOf returns false: what git keeps of a file on this system is not known.
func statOf(fs.FileInfo) (stat, uint64, bool) { return stat{}, 0, false }
