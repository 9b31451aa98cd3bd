package schema

import (
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/formats"
	"github.com/kindvet/kindvet/internal/manifest"
)

// metaKind is the type of a field of object metadata.
type metaKind uint8

const (
	metaText metaKind = iota
	metaInteger
	metaBoolean
	metaTime
	metaTexts   // a list of strings
	metaTextMap // a map of strings
	metaOwners
	metaManaged
	metaAny
)

type metaField struct {
	name string
	kind metaKind
}

// The fields of ObjectMeta, OwnerReference, ManagedFieldsEntry and ListMeta (k8s.io/apimachinery, apis/meta/v1).
var (
	objectMetaFields = []metaField{
		{"name", metaText}, {"generateName", metaText}, {"namespace", metaText}, {"selfLink", metaText}, {"uid", metaText},
		{"resourceVersion", metaText}, {"generation", metaInteger}, {"creationTimestamp", metaTime},
		{"deletionTimestamp", metaTime},
		{"deletionGracePeriodSeconds", metaInteger}, {"labels", metaTextMap}, {"annotations", metaTextMap},
		{"ownerReferences", metaOwners}, {"finalizers", metaTexts}, {"managedFields", metaManaged},
	}
	ownerFields = []metaField{
		{"apiVersion", metaText}, {"kind", metaText}, {"name", metaText}, {"uid", metaText},
		{"controller", metaBoolean}, {"blockOwnerDeletion", metaBoolean},
	}
	managedFields = []metaField{
		{"manager", metaText}, {"operation", metaText}, {"apiVersion", metaText}, {"time", metaTime},
		{"fieldsType", metaText}, {"fieldsV1", metaAny}, {"subresource", metaText},
	}
	listMetaFields = []metaField{
		{"selfLink", metaText}, {"resourceVersion", metaText}, {"continue", metaText}, {"remainingItemCount", metaInteger},
		{"shardInfo", metaAny},
	}
)

// CheckListMeta validates the metadata of a list against ListMeta.
func CheckListMeta(list manifest.Node) []diag.Violation {
	c := newChecker(list, nil, Resource{})
	if meta, ok := list.Field("metadata"); ok {
		c.metaStruct(meta, listMetaFields)
	}
	return c.Report()
}

// ObjectMeta checks the metadata of a document: first that it decodes (otherwise the server answers 400), then its
// values (k8s.io/apimachinery, api/validation.ValidateObjectMetaAccessor, or ValidateObjectMetaAccessorUpdate on an
// update).
func (c *Checker) ObjectMeta(root, old manifest.Node) {
	if c.resource.Name == formats.AnyName {
		return
	}
	meta, ok := root.Field("metadata")
	if ok && !old.Valid() && c.isGoodMeta(meta) {
		return
	}
	if ok && !c.values.DecodesMeta(meta) {
		root.DropField(meta) // it has been reported, and is not valid metadata
		return
	}
	m := objectMeta{Checker: c, node: meta}
	switch {
	case old.Valid():
		m.checkUpdate(old)
	case m.text("name") != "":
		m.checkName("name", func(name string) []string { return c.resource.Name.Check(name, false) })
	case !m.has("name") && !m.has("generateName") && !c.resource.NoName:
		m.noName(root)
	}
	if !old.Valid() || c.resource.UpdatesGenerateName {
		m.checkGenerateName()
	}
	m.setName()
	m.checkNameLength()
	if c.resource.Namespaced { // for a cluster-scoped kind the server drops it
		m.checkName("namespace", formats.CheckDNSLabel)
	}
	if c.resource.Generation && !old.Valid() { // an update keeps the old one
		m.checkGeneration()
	}
	m.checkCommon()
}

// setName edits the names into those that rules see: the server does not keep an empty one, and generates one.
func (m objectMeta) setName() {
	for _, name := range []string{"name", "generateName"} {
		if f, ok := m.field(name, manifest.String); ok && f.Text() == "" {
			m.node.DropField(f)
		}
	}
	if !m.has("name") && m.text("generateName") != "" {
		m.node.AddText("name", generatedName(m.text("generateName")))
	}
}

func (m objectMeta) checkGeneration() {
	if f, ok := m.field("generation", manifest.Integer); ok && f.Integer() < 0 {
		m.bad(f, f.Place(), "generation must not be negative")
	}
}

// isGoodMeta reports whether metadata is certainly valid, in one walk. Most metadata has only a name, a namespace,
// labels and annotations.
func (c *Checker) isGoodMeta(meta manifest.Node) bool {
	if meta.Type() != manifest.Map {
		return false
	}
	hasName := false
	for f := meta.First(); f.Valid(); f = f.Next() {
		if f.Shadowed() {
			return false
		}
		good := false
		switch f.Key() {
		case "name":
			good = f.Type() == manifest.String && f.Text() != "" && c.resource.Name.Check(f.Text(), false) == nil &&
				(c.resource.LongestName == 0 || len(f.Text()) <= c.resource.LongestName)
			hasName = true
		case "namespace":
			good = f.Type() == manifest.String && (!c.resource.Namespaced || f.Text() == "" || formats.CheckDNSLabel(f.Text()) == nil)
		case "labels":
			good = f.Type() == manifest.Map && areGoodLabels(f)
		case "annotations":
			good = f.Type() == manifest.Map && areGoodAnnotations(f)
		}
		if !good {
			return false
		}
	}
	return hasName
}

func areGoodLabels(labels manifest.Node) bool {
	for f := labels.First(); f.Valid(); f = f.Next() {
		if f.Type() != manifest.String || formats.CheckQualifiedName(f.Key()) != nil || formats.CheckLabelValue(f.Text()) != nil {
			return false
		}
	}
	return true
}

func areGoodAnnotations(annotations manifest.Node) bool {
	size := 0
	for f := annotations.First(); f.Valid(); f = f.Next() {
		if f.Type() != manifest.String || formats.CheckQualifiedName(strings.ToLower(f.Key())) != nil {
			return false
		}
		size += len(f.Key()) + len(f.Text())
	}
	return size <= maxAnnotations
}

// metaStruct reports what prevents a value from being decoded into a Go struct: wrong types, and fields that the
// struct does not have. Nulls count as absent. It returns false for a value that is neither a map nor null.
func (c *Checker) metaStruct(n manifest.Node, fields []metaField) bool {
	if !c.metaType(n, manifest.Map) {
		return n.Type() == manifest.Null
	}
	for f := n.First(); f.Valid(); f = f.Next() {
		kind, ok := findMeta(fields, f.Key())
		if !ok {
			c.unknownField(n, f, nil, metaNames(fields))
			continue
		}
		c.metaValue(f, kind)
	}
	return true
}

// DateTimeHelp is the help about a field that is not a date and time.
const DateTimeHelp = "use a date and time with a time zone, such as 2006-01-02T15:04:05Z"

func findMeta(fields []metaField, name string) (metaKind, bool) {
	for _, f := range fields {
		if f.name == name {
			return f.kind, true
		}
	}
	return 0, false
}

func metaNames(fields []metaField) []string {
	names := make([]string, len(fields))
	for i, known := range fields {
		names[i] = known.name
	}
	return names
}

func (c *Checker) metaValue(f manifest.Node, kind metaKind) {
	switch kind {
	case metaText:
		c.metaString(f, c.nameFaults(f))
	case metaBoolean:
		c.metaType(f, manifest.Boolean)
	case metaInteger:
		if f.Type() != manifest.Float || !isInt64(f.Float()) {
			c.metaType(f, manifest.Integer)
		}
	case metaTime:
		if c.metaType(f, manifest.String) {
			if _, err := time.Parse(time.RFC3339, f.Text()); err != nil {
				c.AddBlocking(f, diag.Violation{
					Rule: diag.BadFormat, Message: quote(f.Text()) + " is not a valid date and time", Help: DateTimeHelp,
				})
			}
		}
	case metaTexts, metaOwners, metaManaged:
		if c.metaType(f, manifest.List) {
			for item := f.First(); item.Valid(); item = item.Next() {
				c.metaItem(item, kind)
			}
		}
	case metaTextMap:
		if c.metaType(f, manifest.Map) {
			for item := f.First(); item.Valid(); item = item.Next() {
				c.metaString(item, c.mapFaults(f))
			}
		}
	}
}

func (c *Checker) metaItem(item manifest.Node, kind metaKind) {
	switch kind {
	case metaTexts:
		c.metaString(item, isQualifiedWithDomain)
	case metaOwners:
		c.metaStruct(item, ownerFields)
	case metaManaged:
		c.metaStruct(item, managedFields)
	}
}

// isInt64 reports whether the server's round trip through JSON turns a float into an integer.
func isInt64(f float64) bool { return f == float64(int64(f)) && f < 1e21 && f > -1e21 }

// metaType reports whether n has the type. It records a violation for any other type except null.
func (c *Checker) metaType(n manifest.Node, want manifest.Type) bool {
	if n.Type() == want {
		return true
	}
	if n.Type() != manifest.Null {
		c.AddBlocking(n, diag.Violation{
			Rule:    diag.WrongType,
			Message: "must be " + diag.Article(want.String()) + ", got " + diag.Article(n.Type().String()),
		})
	}
	return false
}

// metaString reports a value that is not a string. The help does not suggest one that has faults.
func (c *Checker) metaString(n manifest.Node, faults func(string) []string) {
	if c.metaType(n, manifest.String) || n.Type() == manifest.Null {
		return
	}
	v := c.found[len(c.found)-1].described
	if v == nil {
		return
	}
	v.Help, v.Fixes = c.quoteHelp(n, func(text string) bool { return faults(text) == nil })
	if text := PlainText(n); v.Help == "" && n.Type() != manifest.Map && n.Type() != manifest.List {
		if found := faults(text); len(found) > 0 {
			v.Help = nameHelp(found[0])
		}
	}
}

// nameFaults returns the check of a string field of metadata, by its name.
func (c *Checker) nameFaults(f manifest.Node) func(string) []string {
	switch f.Key() {
	case "name":
		return func(name string) []string { return c.resource.Name.Check(name, false) }
	case "generateName":
		return func(name string) []string { return c.resource.Name.Check(name, true) }
	case "namespace":
		return formats.CheckDNSLabel
	}
	return func(string) []string { return nil }
}

// mapFaults returns the check of the values of labels or annotations.
func (c *Checker) mapFaults(f manifest.Node) func(string) []string {
	if f.Key() == "labels" {
		return formats.CheckLabelValue
	}
	return func(string) []string { return nil }
}

// isQualifiedWithDomain returns what is wrong with a finalizer.
func isQualifiedWithDomain(name string) []string {
	if !strings.Contains(name, "/") {
		return []string{needsDomain}
	}
	return formats.CheckQualifiedName(name)
}
