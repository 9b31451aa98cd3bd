package check

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// File describes the file of a text. The zero value means that the text must be a manifest and that its references
// are not looked up.
type File struct {
	// IsSearched reports whether a search found the file. Such a file need not be a manifest.
	IsSearched bool
	// Use is how a kustomization uses the file; 0 if no kustomization names it.
	Use kustomization.Use
	// Formats are those that its name and the files near it allow for the objects of the file.
	Formats []*filetype.Format
	// Lookup reports what exists at a path that the file names. If it is nil, paths are not looked up.
	Lookup func(path string) Presence
	// MayBePatch reports whether there is a kustomization in the directory of the file, a little above it, or in a
	// directory next to it, and nothing deploys the file as it is; nil for no.
	MayBePatch func() bool
	// Only holds the documents to check, in the order of the file. If it is nil, all are checked.
	Only []sets.Spot
	// IsWritten reports whether a program has written the text: it is standard input, or the output of a template. Then it
	// is not a template, and its name says nothing about it.
	IsWritten bool
	// Variables are those in the text that a tool replaces before it is applied. Values with them have no errors. If
	// NamesVariables is set, an info names each such variable.
	Variables      Variables
	NamesVariables bool
	// IsCovered reports whether the documents are checked as kustomizations build them, so that only findings about how
	// the text is written matter.
	IsCovered bool
	// IsHelm reports whether Helm installs the documents. It skips some because of their annotations.
	IsHelm bool
	// IsSupplied means that [Result.DropExponents] will be told which values supplied a part of the text.
	IsSupplied bool
	// HasOwnTally means that the result has the tally of the text, and the memory does not count it.
	HasOwnTally bool
}

// notManifest is a document that has neither apiVersion nor kind, as far as it can be read. Whether that is a violation
// depends on the other documents of its text. If none of them is a manifest, it has the format.
type notManifest struct {
	part         manifest.Part
	violation    diag.Violation
	format       *filetype.Format
	isUnreadable bool
}

// maxNotManifests limits how many documents without apiVersion and kind are kept for each text. Further ones are only
// counted. A file of 29 public repositories has at most 10.
const maxNotManifests = 1000

// skipOther skips a document that is not a manifest, and reports whether it did. identity holds the violations of its
// apiVersion and kind. If the user named the file, the document is skipped only if it has both, or if it is part of a
// kustomization.
func (c *checker) skipOther(n manifest.Node, d *document, identity []diag.Violation) bool {
	if d.inList {
		return false
	}
	if format, ok := c.formatOfFile(n, d, len(identity) == 0); ok {
		mayBeManifest := c.file.Use == 0 || c.file.Use == kustomization.Applied || c.file.Use.IsPossible()
		c.skipFile(format, mayBeManifest && len(identity) == 0 && c.hasSchema(d))
		if format == filetype.Configuration() {
			c.checkReplacements(n, d)
		}
		return true
	}
	format, ok := c.format(n, d, len(identity) == 0)
	switch {
	case ok && (c.file.IsSearched || len(identity) == 0):
		c.skipFile(format, len(identity) == 0 && c.hasSchema(d))
		return true
	case ok:
		identity[0].Help = "it looks like " + diag.Article(format.Type.Name)
		return false
	case !c.file.IsSearched || len(identity) == 0 || isLikeManifest(n) || c.namesBuiltIn(n):
		return false
	}
	c.addOther(notManifest{c.part, identity[0], filetype.Unknown(), false})
	return true
}

// addOther adds a document that has neither apiVersion nor kind.
func (c *checker) addOther(other notManifest) {
	if len(c.others) == maxNotManifests {
		c.others[len(c.others)-1].violation.More++
		return
	}
	c.others = append(c.others, other)
}

// formatOfFile returns the format of a document that cannot be checked, even if its kind is known: it is part of a
// kustomization or encrypted.
func (c *checker) formatOfFile(n manifest.Node, d *document, isIdentified bool) (*filetype.Format, bool) {
	switch {
	case c.file.Use.IsPatch() || c.hasPatchMark() && !isList(d.Object) &&
		hasPatchField(n):
		return filetype.Patch(), true
	case isIdentified && c.isUnusedPatch(n, d):
		return filetype.Patch(), true
	case c.file.Use.IsConfiguration():
		return filetype.Configuration(), true
	case c.file.Use == kustomization.InPolicy:
		return filetype.InPolicy(), true
	case isIdentified && hasEncrypted(d.APIVersion, d.Kind),
		!isIdentified && hasEncrypted(n.TextAt("apiVersion"), n.TextAt("kind")):
		return filetype.Encrypted(), true
	}
	return nil, false
}

// hasPatchMark reports whether the part that is being checked has a patch mark. All items of a list ask for the same.
func (c *checker) hasPatchMark() bool {
	if !c.patched.isKnown || c.patched.part != c.part.Span {
		c.patched.isKnown, c.patched.part = true, c.part.Span
		c.patched.has = strings.Contains(c.text(), patchMark)
	}
	return c.patched.has
}

// text returns the text of the part that is being checked.
func (c *checker) text() string { return c.src.Text[c.part.Span.Start:c.part.Span.End] }

// format returns the format of a document that is not a manifest. isIdentified means that the document has an
// apiVersion and kind that can be looked up. Documents whose kind has a schema are always checked.
func (c *checker) format(n manifest.Node, d *document, isIdentified bool) (*filetype.Format, bool) {
	if c.file.Use == kustomization.Expected && c.file.IsSearched {
		return filetype.Expected(), true
	}
	other := &filetype.Document{Text: c.text(), Root: n, APIVersion: d.APIVersion, Kind: d.Kind}
	if format, ok := filetype.FormatOf(other, c.file.Formats); ok && isIdentified {
		return format, true
	}
	if !isIdentified {
		if isLikeManifest(n) && d.APIVersion != "" && d.Kind != "" {
			return nil, false
		}
		return c.types.Of(other)
	}
	if format, ok := c.types.OfObject(other); ok {
		return format, true
	}
	if c.hasSchema(d) || isList(d.Object) {
		return nil, false
	}
	if group, _ := catalog.SplitAPIVersion(d.APIVersion); group == kustomization.Group {
		return nil, false
	}
	return c.types.Of(other)
}

// hasSchema reports whether the kind of a document has a schema.
func (c *checker) hasSchema(d *document) bool {
	if c.memory.recent.find(c.engine, d) != nil {
		return true
	}
	group, _ := catalog.SplitAPIVersion(d.APIVersion)
	return c.engine.discovered.HasKindFor(c.src.Name, group, d.Kind)
}

// patchMark is the start of all strategic merge patch directives. Manifests hardly ever contain them.
const patchMark = "$patch"

// patchDirectives are the valid values of the directive (k8s.io/apimachinery, util/strategicpatch).
var patchDirectives = [...]string{"delete", "replace", "merge"}

// hasPatchField reports whether a document contains a strategic merge patch directive.
func hasPatchField(n manifest.Node) bool {
	if n.Type() != manifest.Map && n.Type() != manifest.List {
		return false
	}
	for child := range n.Children() {
		if n.Type() == manifest.Map && child.Key() == patchMark && slices.Contains(patchDirectives[:], child.Text()) ||
			hasPatchField(child) {
			return true
		}
	}
	return false
}

// namesBuiltIn reports whether a document without apiVersion or kind names a built-in kind without metadata, such as
// DeleteOptions, or a group of built-in kinds.
func (c *checker) namesBuiltIn(n manifest.Node) bool {
	if n.Type() != manifest.Map {
		return false
	}
	version := n.TextAt("apiVersion")
	group, _ := catalog.SplitAPIVersion(version)
	return version != "" && group != kustomization.Group && c.engine.options.Catalog.IsBuiltInGroup(group) ||
		version == "" && c.engine.options.Catalog.IsBare(n.TextAt("kind"))
}

// isLikeManifest reports whether a document looks like a manifest although apiVersion or kind is missing or invalid.
// Such a document has one of them and the metadata of an object. Decide anew if files of a tool are taken for
// manifests; as a type in rules/filetypes.yaml they are not.
func isLikeManifest(n manifest.Node) bool {
	if n.Type() != manifest.Map {
		return false
	}
	meta, _ := n.Field("metadata")
	return meta.Valid() && meta.Type() == manifest.Map && (n.TextAt("apiVersion") != "" || n.TextAt("kind") != "")
}

// skipUnreadable skips a document that cannot be read if it seems to be no manifest, and reports whether it did: it has no
// line for apiVersion or kind, and no other document of its text is a manifest. A kustomization needs no such lines.
func (c *checker) skipUnreadable(violations []diag.Violation) bool {
	text := c.text()
	if !c.file.IsSearched || len(violations) == 0 || hasIdentityLine(text) || isManifestOfKubectl(text) ||
		kustomization.IsName(filepath.ToSlash(c.src.Name)) {
		return false
	}
	format, ok := c.types.Of(&filetype.Document{Text: text})
	if !ok {
		format = filetype.Unknown()
	}
	c.addOther(notManifest{c.part, violations[0], format, true})
	return true
}

// isManifestOfKubectl reports whether a text in UTF-16, which kindvet cannot read, has a manifest. kubectl reads it.
func isManifestOfKubectl(text string) bool {
	if !isWide(text) {
		return false
	}
	text = fromWide(text)
	return hasIdentityLine(text) || hasManifest(&source.Source{Text: text})
}

// hasManifest reports whether one of the YAML documents of a text has apiVersion and kind.
func hasManifest(src *source.Source) bool {
	tree := &manifest.Tree{}
	for part := range manifest.YAMLParts(src) {
		tree.Read(src, part)
		if n := tree.Root(); n.Valid() && n.Type() == manifest.Map && hasValue(n, "apiVersion") && hasValue(n, "kind") {
			return true
		}
	}
	return false
}

// isWide reports whether a text is encoded in UTF-16. kubectl reads it.
func isWide(text string) bool {
	return strings.HasPrefix(text, wideLittle) || strings.HasPrefix(text, wideBig)
}

// These are the byte order marks of UTF-16.
const wideLittle, wideBig = "\xff\xfe", "\xfe\xff"

// fromWide decodes UTF-16 that starts with a byte order mark.
func fromWide(text string) string {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(text, wideBig) {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(text)/2)
	for i := len(wideBig); i+1 < len(text); i += 2 {
		units = append(units, order.Uint16([]byte(text[i:i+2])))
	}
	return string(utf16.Decode(units))
}

// hasIdentityLine reports whether a text has, or seems to have, an apiVersion or a kind at its top level.
func hasIdentityLine(text string) bool {
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " \t{")
		indent := len(line) - len(trimmed)
		for _, key := range []string{"apiVersion", "kind"} {
			rest, ok := strings.CutPrefix(trimmed, key)
			if quoted, isQuoted := strings.CutPrefix(trimmed, `"`+key+`"`); isQuoted && indent <= maxIndent {
				rest, ok, indent = quoted, true, 0
			}
			if ok && indent <= 1 && strings.HasPrefix(strings.TrimSpace(rest), ":") {
				return true
			}
		}
	}
	return false
}

// maxIndent is the maximum indentation of the first fields of a JSON object, in columns. More is inside of the object,
// or needs another guess: decide anew if a JSON manifest is taken for another file.
const maxIndent = 4

// skip records that a document of the text is not a manifest.
func (c *checker) skip(format *filetype.Format) {
	c.skipFile(format, false)
}

func (c *checker) skipFile(format *filetype.Format, hasSchema bool) {
	c.result.NotManifests = appendTypes(c.result.NotManifests, 0, format.Skipped(c.src.Name, hasSchema))
}

// finishOthers handles the documents without apiVersion and kind. If the text also has a manifest, each of them is a
// violation, because it would not be applied. If not, the text does not contain manifests and they are skipped.
func (c *checker) finishOthers() {
	hasManifest := c.result.Summary.Documents > 0
	for _, x := range c.others {
		c.part = x.part
		switch {
		case !hasManifest:
			c.skip(x.format)
		case x.isUnreadable:
			c.finishUnreadable(x.part, []diag.Violation{x.violation})
		default:
			c.finish(manifest.Node{}, diag.Object{Document: x.part.Index}, []diag.Violation{x.violation})
		}
	}
}
