package check

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// lastApplied is the annotation in which kubectl apply without --server-side stores the JSON of an object
// (k8s.io/kubectl, pkg/util.CreateApplyAnnotation). It replaces the annotation that the manifest has.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

const (
	// maxAnnotations is the maximum total size of the keys and values of all annotations, in bytes (k8s.io/apimachinery,
	// pkg/api/validation.TotalAnnotationSizeLimitB).
	maxAnnotations = 256 << 10
	// fewestBytes is the size of a text whose JSON is worth measuring. JSON may be longer than YAML because of escapes.
	fewestBytes = 100_000
)

// tooLargeToApply returns the finding about an object that kubectl apply cannot create, because the annotation with its
// JSON would be too long. It must be called before the check changes the tree. Helm does not set the annotation, and the
// JSON of an object that is encrypted or too large for a request does not matter.
func (c *checker) tooLargeToApply(n manifest.Node) []diag.Violation {
	sp := n.Span()
	if size := sp.End - sp.Start; size < fewestBytes || size > maxRequest || c.file.IsHelm || n.Type() != manifest.Map {
		return nil
	}
	name := n.At("metadata", "name")
	_, isEncrypted := n.Field(sopsField)
	items, _ := n.Field("items")
	if !name.Valid() || isEncrypted || c.isEncrypted || items.Valid() && items.Type() == manifest.List || isAppliedWithoutAnnotation(n) {
		return nil
	}
	own, size := 0, jsonSize(n)+len("\n")+len(lastApplied)
	switch annotations, ok := n.At("metadata").Field("annotations"); {
	case !ok: // kubectl adds the map before it makes the JSON
		size += len(`"annotations":{},`)
	case annotations.Type() == manifest.Null:
		size += len("{}") - len("null")
	case annotations.Type() != manifest.Map:
		return nil
	default:
		written := 0
		for f := range annotations.Children() {
			if f.Shadowed() {
				continue
			}
			written++
			if f.Key() != lastApplied {
				own += len(f.Key()) + len(f.Text())
			}
		}
		if f, ok := annotations.Field(lastApplied); ok {
			size -= stringSize(lastApplied) + len(":") + jsonSize(f)
			if written > 1 {
				size -= len(",")
			}
		}
	}
	if own > maxAnnotations || own+size <= maxAnnotations {
		return nil
	}
	v := violation(name, diag.TooLargeToApply, "too large for kubectl apply: annotations with its JSON have "+
		strconv.Itoa(own+size)+" bytes, at most "+strconv.Itoa(maxAnnotations)+" allowed",
		"use kubectl apply --server-side, or kubectl create")
	v.Severity = diag.Info
	return []diag.Violation{v}
}

// isAppliedWithoutAnnotation reports whether Argo CD applies the object in another way than kubectl apply by default
// (https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/).
func isAppliedWithoutAnnotation(n manifest.Node) bool {
	options, ok := annotation(n, "argocd.argoproj.io/sync-options")
	return ok && slices.ContainsFunc(strings.Split(scalar(options), ","), func(option string) bool {
		option = strings.TrimSpace(option)
		return option == "ServerSideApply=true" || option == "Replace=true"
	})
}

// jsonSize returns the size of the JSON that kubectl makes of a value, that of encoding/json.
func jsonSize(n manifest.Node) int {
	switch n.Type() {
	case manifest.String:
		return stringSize(n.Text())
	case manifest.Float:
		text, _ := json.Marshal(n.Float())
		return len(text)
	case manifest.List, manifest.Map:
		size, values := len("[]"), 0
		for child := range n.Children() {
			if child.Shadowed() {
				continue
			}
			if n.Type() == manifest.Map {
				size += stringSize(child.Key()) + len(":")
			}
			size += jsonSize(child)
			values++
		}
		return size + max(values-1, 0)*len(",")
	}
	var short [20]byte
	return len(n.AppendJSON(short[:0]))
}

// escaped holds how many bytes the escape of a byte adds in JSON.
var escaped = func() (more [256]uint8) {
	for b := range ' ' {
		more[b] = uint8(len(`\u0000`) - 1)
	}
	for _, b := range "<>&" {
		more[b] = uint8(len(`\u003c`) - 1)
	}
	for _, b := range "\"\\\n\r\t\b\f" {
		more[b] = 1
	}
	return more
}()

// stringSize returns the size of a string in JSON.
func stringSize(text string) int {
	size := len(text) + len(`""`)
	for i := range len(text) {
		size += int(escaped[text[i]])
	}
	for _, separator := range []string{"\u2028", "\u2029"} {
		size += strings.Count(text, separator) * (len(`\u2028`) - len(separator))
	}
	return size
}
