//go:build !unix

package git

import "os"

// readRegular reads a regular file that is not empty and has at most limit bytes.
func readRegular(name string, limit int64) ([]byte, bool) {
	stat, err := os.Lstat(name)
	if err != nil || !stat.Mode().IsRegular() || stat.Size() == 0 || stat.Size() > limit {
		return nil, false
	}
	text, err := os.ReadFile(name)
	return text, err == nil
}
