package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/kindvet/kindvet/rules"
)

// Hash returns a hexadecimal hash of the embedded definitions. It is the SHA-256 of a list with one line per file,
// sorted by name, in the format of sha256sum: the SHA-256 of the text, two spaces, and the name.
func Hash() string {
	all, one := sha256.New(), sha256.New()
	buffer := make([]byte, 32<<10) // reading whole files would take more time than hashing
	err := fs.WalkDir(rules.Kinds, "kinds", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".yaml") {
			return err
		}
		f, err := rules.Kinds.Open(name)
		if err != nil {
			return err
		}
		one.Reset()
		_, err = io.CopyBuffer(one, f, buffer)
		fmt.Fprintf(all, "%x  %s\n", one.Sum(nil), name)
		return err
	})
	if err != nil {
		panic("the definitions are embedded: " + err.Error())
	}
	return hex.EncodeToString(all.Sum(nil))
}
