//go:build !linux

package fix

import "os"

// createTemp creates a file in a directory.
func createTemp(dir string) (*os.File, error) { return os.CreateTemp(dir, tempName+"*") }

// nameTemp returns the name of a file from createTemp.
func nameTemp(f *os.File, _ string) (string, error) { return f.Name(), nil }
