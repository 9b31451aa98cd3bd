package check

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// SOPS encrypts the values of a document and adds the field sops to its root (github.com/getsops/sops, stores). An
// encrypted value may have any type, which is known only after decryption.
const (
	sopsField       = "sops"
	encryptedPrefix = "ENC[AES256_GCM,"
)

// dropSOPS prepares a document that SOPS has encrypted for the check, and reports whether it is one: the field sops is
// removed, and encrypted values are blocked, so that no rule is evaluated on them.
func dropSOPS(n manifest.Node) bool {
	f, ok := n.Field(sopsField)
	if !ok || f.Type() != manifest.Map || !slices.ContainsFunc([]string{"mac", "lastmodified", "version"}, func(name string) bool {
		_, ok := f.Field(name)
		return ok
	}) {
		return false
	}
	n.DropField(f)
	blockEncrypted(n)
	return true
}

func blockEncrypted(n manifest.Node) {
	switch n.Type() {
	case manifest.Map, manifest.List:
		for child := range n.Children() {
			blockEncrypted(child)
		}
	case manifest.String:
		if strings.HasPrefix(n.Text(), encryptedPrefix) {
			n.Block()
		}
	}
}

// isEncrypted reports whether SOPS has encrypted a field of the root.
func isEncrypted(n manifest.Node, name string) bool {
	return strings.HasPrefix(n.TextAt(name), encryptedPrefix)
}

// withoutEncrypted removes the findings about encrypted values. Which alternative of a schema such a value matches is
// not known either.
func (c *checker) withoutEncrypted(violations []diag.Violation) []diag.Violation {
	return slices.DeleteFunc(violations, func(v diag.Violation) bool {
		return v.Rule == diag.NoMatch || strings.HasPrefix(strings.Trim(c.markedText(v.Place), `"'`), encryptedPrefix)
	})
}
