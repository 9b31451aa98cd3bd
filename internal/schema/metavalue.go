package schema

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// objectMeta is the metadata of a document or of an embedded resource while it is checked. Its node may be invalid.
// The server cleans up the metadata of a document before it validates it, but not that of an embedded resource.
type objectMeta struct {
	*Checker
	node       manifest.Node
	isEmbedded bool
}

// field returns a field of the given type. A field of another type has been reported already, and a null counts as
// absent.
func (m objectMeta) field(name string, want manifest.Type) (manifest.Node, bool) {
	if !m.node.Valid() || m.node.Type() != manifest.Map {
		return manifest.Node{}, false
	}
	f, ok := m.node.Field(name)
	return f, ok && f.Type() == want
}

func (m objectMeta) text(name string) string {
	if f, ok := m.field(name, manifest.String); ok {
		return f.Text()
	}
	return ""
}

// has reports whether a field is present and not empty. A field of the wrong type, which has been reported already,
// counts as present.
func (m objectMeta) has(name string) bool {
	if !m.node.Valid() || m.node.Type() != manifest.Map {
		return false
	}
	f, ok := m.node.Field(name)
	return ok && f.Type() != manifest.Null && (f.Type() != manifest.String || f.Text() != "")
}

func (m objectMeta) checkName(field string, faults func(string) []string) {
	f, ok := m.field(field, manifest.String)
	if !ok || f.Text() == "" {
		return
	}
	m.badName(diag.BadName, f, f.Place(), f.Text(), field, faults(f.Text()))
}

// checkUpdate compares the metadata with that of the old object.
func (m objectMeta) checkUpdate(old manifest.Node) {
	m.checkName("name", formats.CheckPathSegment)
	m.checkName("generateName", formats.CheckPathSegmentPrefix) // unused: the object has a name
	oldMeta, _ := old.Field("metadata")
	o := objectMeta{Checker: m.Checker, node: oldMeta}
	if f, ok := m.field("uid", manifest.String); ok && f.Text() != "" && o.text("uid") != "" &&
		f.Text() != o.text("uid") {
		m.Add(f, diag.Violation{Rule: diag.ImmutableChanged, Message: "field is immutable"})
	}
	deleting := !o.time("deletionTimestamp").IsZero()
	if !deleting && !m.time("deletionTimestamp").IsZero() { // an existing one stays, whatever the update says
		m.setByDelete("deletionTimestamp")
	}
	m.checkGracePeriod(o)
	if deleting {
		m.checkNoNewFinalizer(o)
	}
}

// setByDelete reports a field that only a delete request may set.
func (m objectMeta) setByDelete(name string) {
	f, _ := m.node.Field(name)
	m.Add(f, diag.Violation{
		Rule: diag.ImmutableChanged, Message: "field is immutable", Help: "remove it; only a delete request sets it",
	})
}

// checkGracePeriod reports a grace period that differs from the old one. An update without a grace period keeps the
// old one.
func (m objectMeta) checkGracePeriod(o objectMeta) {
	const name = "deletionGracePeriodSeconds"
	period, ok := m.number(name)
	if was, had := o.number(name); ok && (!had || was != period) {
		m.setByDelete(name)
	}
}

func (m objectMeta) checkNoNewFinalizer(o objectMeta) {
	finalizers, ok := m.field("finalizers", manifest.List)
	if !ok {
		return
	}
	old := o.finalizers()
	for f := finalizers.First(); f.Valid(); f = f.Next() {
		if !old[f.Text()] {
			m.Add(f, diag.Violation{
				Rule: diag.BadMetadata, Message: "finalizers cannot be added while the object is being deleted",
				Reason: "FieldValueForbidden",
			})
		}
	}
}

func (m objectMeta) finalizers() map[string]bool {
	names := map[string]bool{}
	if list, ok := m.field("finalizers", manifest.List); ok {
		for f := list.First(); f.Valid(); f = f.Next() {
			names[f.Text()] = true
		}
	}
	return names
}

// time returns the time in a field. It returns the zero time if the field is absent or has been reported.
func (m objectMeta) time(name string) time.Time {
	t, err := time.Parse(time.RFC3339, m.text(name))
	if err != nil {
		return time.Time{}
	}
	return t
}

// number returns the number in a field.
func (m objectMeta) number(name string) (float64, bool) {
	for _, want := range []manifest.Type{manifest.Integer, manifest.Float} {
		if f, ok := m.field(name, want); ok {
			return f.Float(), true
		}
	}
	return 0, false
}

// checkCommon checks what applies to every object, created or updated, embedded or not (k8s.io/apimachinery,
// api/validation.validateObjectMetaAccessorWithOptsCommon).
func (m objectMeta) checkCommon() {
	m.checkLabels()
	m.checkAnnotations()
	m.checkOwners()
	m.checkFinalizers()
}

func (m objectMeta) checkLabels() {
	labels, ok := m.field("labels", manifest.Map)
	if !ok {
		return
	}
	for f := labels.First(); f.Valid(); f = f.Next() {
		m.badName(diag.BadMetadata, f, f.KeyPlace(), f.Key(), "label key", formats.CheckQualifiedName(f.Key()))
		m.badName(diag.BadMetadata, f, f.Place(), f.Text(), "label value", formats.CheckLabelValue(f.Text()))
	}
}

// maxAnnotations is the maximum total size of the keys and values of all annotations, in bytes (k8s.io/apimachinery,
// pkg/api/validation.TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

func (m objectMeta) checkAnnotations() {
	annotations, ok := m.field("annotations", manifest.Map)
	if !ok {
		return
	}
	size := 0
	for f := annotations.First(); f.Valid(); f = f.Next() {
		faults := formats.CheckQualifiedName(strings.ToLower(f.Key()))
		m.badName(diag.BadMetadata, f, f.KeyPlace(), f.Key(), "annotation key", faults)
		size += len(f.Key()) + len(f.Text())
	}
	if size > maxAnnotations {
		m.AddBlocking(annotations, diag.Violation{
			Rule:    diag.BadMetadata,
			Message: "annotations must have at most " + number(maxAnnotations) + " bytes, got " + number(int64(size)),
			Place:   annotations.HeadPlace(),
		})
	}
}

func (m objectMeta) checkOwners() {
	owners, ok := m.field("ownerReferences", manifest.List)
	if !ok {
		return
	}
	var first, controller manifest.Node // the first owner that is a controller, and the last field that says so
	for owner := owners.First(); owner.Valid(); owner = owner.Next() {
		o := objectMeta{Checker: m.Checker, node: owner}
		group, version := splitVersion(o.text("apiVersion"))
		if version == "" && o.text("apiVersion") != "" {
			m.badField(o, "apiVersion", "the version must not be empty")
		}
		for _, name := range []string{"apiVersion", "kind", "name", "uid"} {
			if o.text(name) == "" {
				m.emptyField(o, name)
			}
		}
		if group == "" && version == "v1" && o.text("kind") == "Event" {
			m.bad(owner, owner.HeadPlace(), "an Event must not own an object")
		}
		if f, ok := o.field("controller", manifest.Boolean); ok && f.Boolean() {
			if !m.isEmbedded && first.Valid() && manifest.Equal(first, owner) {
				continue // the server removes repeated owners (apiserver, endpoints/handlers.dedupOwnerReferences)
			}
			if controller.Valid() {
				m.bad(owners, f.HeadPlace(), "only one owner can be the controller",
					diag.Related{Place: controller.HeadPlace(), Message: "first controller"})
			}
			controller = f
			if !first.Valid() {
				first = owner
			}
		}
	}
}

// requiredOwners is the first minor version of Kubernetes 1 in which an empty field of an owner reference is a missing value
// (k8s.io/apimachinery, pkg/api/validation.validateOwnerReference).
const requiredOwners = 37

// emptyField reports a field of an owner reference that is empty or missing. Since Kubernetes 1.37 this is a required
// value, without which a server evaluates no rules of a custom resource.
func (m objectMeta) emptyField(o objectMeta, name string) {
	v := o.fault(name, name+" must not be empty")
	if m.mayFix() { // only the cluster knows the uid of an owner
		v.Fixes = diag.Choices(o.node.RemoveFix())
		for i := range v.Fixes {
			v.Fixes[i].Title = "remove the reference"
		}
	}
	if minor := m.resource.Kubernetes; m.resource.InvalidOwners || minor > 0 && minor < requiredOwners {
		m.Add(o.node, v)
		return
	}
	v.Reason = "FieldValueRequired"
	if m.resource.Native {
		m.Add(o.node, v)
	} else {
		m.AddBlocking(o.node, v)
	}
}

// badField reports a field of an owner reference or another item.
func (m objectMeta) badField(o objectMeta, name, message string) {
	m.Add(o.node, o.fault(name, message))
}

// fault returns a violation at a field. If the field is missing, the place is that of the object.
func (m objectMeta) fault(name, message string) diag.Violation {
	place := m.node.HeadPlace()
	if f, ok := m.field(name, manifest.String); ok {
		place = f.Place()
	}
	return diag.Violation{Rule: diag.BadMetadata, Message: message, Place: place, Path: m.node.Path().Field(name)}
}

// splitVersion splits an apiVersion into group and version (apimachinery, schema.FromAPIVersionAndKind). It returns
// neither if the apiVersion has two slashes.
func splitVersion(apiVersion string) (group, version string) {
	group, version, ok := strings.Cut(apiVersion, "/")
	switch {
	case !ok:
		return "", apiVersion
	case strings.Contains(version, "/"):
		return "", ""
	}
	return group, version
}

func (m objectMeta) checkFinalizers() {
	finalizers, ok := m.field("finalizers", manifest.List)
	if !ok {
		return
	}
	var orphan, foreground manifest.Node
	for f := finalizers.First(); f.Valid(); f = f.Next() {
		faults := formats.CheckQualifiedName(f.Text())
		if m.resource.KnownFinalizers && len(faults) == 0 && !isKnownFinalizer(f.Text()) {
			faults = []string{needsDomain}
		}
		m.badName(diag.BadMetadata, f, f.Place(), f.Text(), "finalizer", faults)
		switch f.Text() {
		case "orphan":
			orphan = f
		case "foregroundDeletion":
			foreground = f
		}
	}
	if orphan.Valid() && foreground.Valid() {
		m.bad(finalizers, finalizers.HeadPlace(), "the finalizers orphan and foregroundDeletion cannot both be set")
	}
}

// The maximum number of bytes of the name of a field manager, and of a subresource (k8s.io/apimachinery,
// pkg/apis/meta/v1/validation.FieldManagerMaxLength, MaxSubresourceNameLength).
const (
	longestManager     = 128
	longestSubresource = 256
)

// checkManagedFields checks who has set which fields (k8s.io/apimachinery, apis/meta/v1/validation,
// ValidateManagedFields).
func (m objectMeta) checkManagedFields() {
	list, ok := m.field("managedFields", manifest.List)
	if !ok {
		return
	}
	for item := list.First(); item.Valid(); item = item.Next() {
		entry := objectMeta{Checker: m.Checker, node: item}
		if operation := entry.text("operation"); operation != "Apply" && operation != "Update" {
			m.badField(entry, "operation", "operation must be Apply or Update")
		}
		if f, ok := entry.field("fieldsType", manifest.String); ok && f.Text() != "" && f.Text() != "FieldsV1" {
			m.bad(f, f.Place(), "fieldsType must be FieldsV1")
		}
		if f, ok := entry.field("manager", manifest.String); ok {
			m.checkBytes(f, longestManager)
			if strings.ContainsFunc(f.Text(), func(r rune) bool { return !unicode.IsPrint(r) }) {
				m.bad(f, f.Place(), "manager must contain only printable characters")
			}
		}
		if f, ok := entry.field("subresource", manifest.String); ok {
			m.checkBytes(f, longestSubresource)
		}
	}
}

func (m objectMeta) checkBytes(f manifest.Node, most int64) {
	if have := int64(len(f.Text())); have > most {
		m.AddBlocking(f, diag.Violation{
			Rule: diag.BadMetadata, Message: "must have at most " + number(most) + " bytes, got " + number(have),
			Reason: "FieldValueTooLong",
		})
	}
}

// isKnownFinalizer reports whether a finalizer has a domain or is one of the API server (k8s.io/kubernetes,
// pkg/apis/core/validation.ValidateFinalizerName).
func isKnownFinalizer(name string) bool {
	return strings.Contains(name, "/") || slices.Contains([]string{"kubernetes", "orphan", "foregroundDeletion"}, name)
}

func (m objectMeta) bad(n manifest.Node, place source.Place, message string, related ...diag.Related) {
	m.Add(n, diag.Violation{Rule: diag.BadMetadata, Message: message, Place: place, Related: related})
}
