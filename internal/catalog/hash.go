package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"github.com/kindvet/kindvet/rules"
)

// Hash returns a hexadecimal hash of the embedded definitions. It is the SHA-256 of a list with one line per file,
// sorted by name, in the format of sha256sum: the SHA-256 of the text, two spaces, and the name.
func Hash() string {
	all := sha256.New()
	err := fs.WalkDir(rules.Kinds, "kinds", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".yaml") {
			return err
		}
		text, err := fs.ReadFile(rules.Kinds, name)
		if err == nil {
			fmt.Fprintf(all, "%x  %s\n", sha256.Sum256(text), name)
		}
		return err
	})
	if err != nil {
		panic("the definitions are embedded: " + err.Error())
	}
	return hex.EncodeToString(all.Sum(nil))
}
