package diag

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// Fingerprint names a violation by its rule, its object and its path, and by nothing that changes when text is moved:
// no line, and no file where the object has a name. Two violations may have the same one. It is 32 hexadecimal
// digits.
func (v *Violation) Fingerprint() string {
	group, _, _ := strings.Cut(v.Object.APIVersion, "/")
	where := strings.Join([]string{group, v.Object.Kind, v.Object.Namespace, v.Object.Name}, "\x00")
	if v.Object.Name == "" {
		where = path.Clean(strings.ReplaceAll(v.Place.File, `\`, "/"))
	}
	sum := sha256.Sum256([]byte(string(v.Rule) + "\x00" + where + "\x00" + v.Path.String()))
	return hex.EncodeToString(sum[:16])
}

// String returns the object as people say it: its kind, and its name with the namespace in front.
func (o Object) String() string {
	name := strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
	return strings.TrimSpace(o.Kind + " " + name)
}
