package diag

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// Fingerprint identifies a violation by its rule, object and path. It does not depend on anything that changes when
// text moves: not on the line, and not on the file if the object has a name. Two violations may have the same
// fingerprint. It is 32 hexadecimal digits.
func (v *Violation) Fingerprint() string {
	group, _, _ := strings.Cut(v.Object.APIVersion, "/")
	where := strings.Join([]string{group, v.Object.Kind, v.Object.Namespace, v.Object.Name}, "\x00")
	if v.Object.Name == "" {
		where = path.Clean(strings.ReplaceAll(v.Place.File, `\`, "/"))
	}
	sum := sha256.Sum256([]byte(string(v.Rule) + "\x00" + where + "\x00" + v.Path.String()))
	return hex.EncodeToString(sum[:16])
}

// String returns the kind of the object, then its namespace and name.
func (o Object) String() string {
	name := strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
	return strings.TrimSpace(o.Kind + " " + name)
}
