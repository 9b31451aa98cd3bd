package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"

	"github.com/kindvet/kindvet/rules"
)

// Hash returns the hash of the embedded definitions in hexadecimal: the SHA-256 of a line for each file, in the order
// of their names, with the SHA-256 of its text, two spaces and its name, as sha256sum prints it.
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
