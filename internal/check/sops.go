package check

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// SOPS encrypts the values of a document and adds the field sops to its root (github.com/getsops/sops, stores). An
// encrypted value may have any type, which is known only after decryption.
const sopsField = "sops"

// encryptedFields are what an encrypted value holds, in this order (github.com/getsops/sops, aes.encre).
var encryptedFields = [...]string{"data:", "iv:", "tag:", "type:"}

// isEncryptedText reports whether a string has the whole form of a value that SOPS has encrypted.
func isEncryptedText(text string) bool {
	body, isEncrypted := strings.CutPrefix(text, "ENC[AES256_GCM,")
	body, isClosed := strings.CutSuffix(body, "]")
	fields := strings.Split(body, ",")
	if !isEncrypted || !isClosed || len(fields) != len(encryptedFields) {
		return false
	}
	for i, name := range encryptedFields {
		if value, ok := strings.CutPrefix(fields[i], name); !ok || value == "" {
			return false
		}
	}
	return true
}

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
		if isEncryptedText(n.Text()) {
			n.Block()
		}
	}
}

// isEncrypted reports whether SOPS has encrypted a field of the root.
func isEncrypted(n manifest.Node, name string) bool {
	return isEncryptedText(n.TextAt(name))
}

// withoutEncrypted removes the findings about encrypted values of a document. Which alternative of a schema such a value,
// or one that holds it, matches is not known either.
func (c *checker) withoutEncrypted(n manifest.Node, violations []diag.Violation) []diag.Violation {
	return slices.DeleteFunc(violations, func(v diag.Violation) bool {
		return v.Rule == diag.NoMatch && holdsEncrypted(n, v.Path) ||
			isEncryptedText(strings.Trim(c.markedText(v.Place), `"'`))
	})
}

// holdsEncrypted reports whether the value at a path of a document, as far as the path can be followed, is or holds an
// encrypted one.
func holdsEncrypted(n manifest.Node, path diag.Path) bool {
	steps, _ := path.Below(n.Path())
	for _, step := range steps {
		next, ok := n.Field(step.Name)
		if step.IsItem {
			next, ok = n.Item(step.Index)
		}
		if !ok {
			break
		}
		n = next
	}
	return n.IsBlocked()
}
