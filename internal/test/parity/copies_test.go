package parity

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The module internal/oracle/builtin has copies of the files that describe cases.
func TestTheOracleHasTheSameFiles(t *testing.T) {
	for _, name := range []string{"case.go", "differences.go", "records.go", "sites.go"} {
		here, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		there, err := os.ReadFile(filepath.Join(root, "internal", "oracle", "builtin", "parity", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(here, there) {
			t.Errorf("%s: copy it to internal/oracle/builtin/parity", name)
		}
	}
}
