package check

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// SOPS encrypts the values of a document and adds the field sops to its root (github.com/getsops/sops, stores). The
// type of an encrypted value is unknown until it is decrypted.
const sopsField = "sops"

// encryptedFields are the prefixes of the parts of an encrypted value, in order (github.com/getsops/sops, aes.encre).
var encryptedFields = [...]string{"data:", "iv:", "tag:", "type:"}

// isEncryptedText reports whether a string has the complete form of a value encrypted by SOPS.
func isEncryptedText(text string) bool {
	body, isEncrypted := strings.CutPrefix(text, "ENC[AES256_GCM,")
	body, isClosed := strings.CutSuffix(body, "]")
	if !isEncrypted || !isClosed {
		return false
	}
	fields := strings.Split(body, ",")
	if len(fields) != len(encryptedFields) {
		return false
	}
	for i, name := range encryptedFields {
		if value, ok := strings.CutPrefix(fields[i], name); !ok || value == "" {
			return false
		}
	}
	return true
}

// sopsOf returns the field sops of a document that SOPS has encrypted.
func sopsOf(n manifest.Node) (manifest.Node, bool) {
	f, ok := n.Field(sopsField)
	return f, ok && f.Type() == manifest.Map && slices.ContainsFunc([]string{"mac", "lastmodified", "version"},
		func(name string) bool {
			_, ok := f.Field(name)
			return ok
		})
}

// dropSOPS prepares a document for the check if SOPS has encrypted it, and reports whether it has. It removes the
// field sops, and blocks encrypted values so that no rule is evaluated on them.
func dropSOPS(n manifest.Node) bool {
	f, ok := sopsOf(n)
	if ok {
		n.DropField(f)
		blockEncrypted(n)
	}
	return ok
}

// encryptItems prepares the objects in a document for the check if SOPS has encrypted the document: the field sops is
// only at its root. It returns what isEncrypted was, to be set again after them.
func (c *checker) encryptItems(n manifest.Node) (outer bool) {
	outer = c.isEncrypted
	if _, ok := sopsOf(n); ok {
		blockEncrypted(n)
		c.isEncrypted = true
	}
	return outer
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

// hasEncrypted reports whether SOPS has encrypted one of the texts.
func hasEncrypted(texts ...string) bool { return slices.ContainsFunc(texts, isEncryptedText) }

// withoutEncrypted removes findings about encrypted values of a document. It also removes findings about schema
// alternatives of such a value, or of one that contains it, because it is unknown which alternative matches. It
// records their rules as not evaluated.
func (c *checker) withoutEncrypted(n manifest.Node, d *document, violations []diag.Violation) []diag.Violation {
	var dropped []diag.NotEvaluated
	violations = slices.DeleteFunc(violations, func(v diag.Violation) bool {
		if (v.Rule != diag.NoMatch || !holdsEncrypted(n, v.Path)) &&
			!isEncryptedText(strings.Trim(c.wholeText(v.Place), `"'`)) {
			return false
		}
		v.Object = kept(d.Object)
		dropped = append(dropped, v.NotEvaluated(diag.ValueEncrypted))
		return true
	})
	c.takeNotEvaluated(dropped)
	return violations
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
