package lint

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/search"
	"github.com/kindvet/kindvet/internal/source"
)

// The labels of a Namespace that select the level and the version (k8s.io/pod-security-admission, api).
const (
	EnforceLabel = "pod-security.kubernetes.io/enforce"
	versionLabel = EnforceLabel + "-version"
)

// EnforceMark is part of the text of every Namespace that enforces a level.
var EnforceMark = search.For(EnforceLabel)

// Namespace is a Namespace that enforces a level.
type Namespace struct {
	Name  string
	Level rule.Level
	// Minor is the minor version of the standards. It is above all versions if the Namespace enforces the latest one.
	Minor int
	// Label is the place of the label.
	Label source.Place
}

// latest is the minor version of the standards for a Namespace that enforces the latest one.
const latest = math.MaxInt

// FindNamespaces finds the Namespaces in a text that enforce a level, including those in Lists. They keep nothing of
// the text. A Namespace whose labels an API server rejects is left out, and so is one in a template or in a file that
// states what a test expects.
func FindNamespaces(src *source.Source) (found []Namespace) {
	for part := range manifest.Parts(src) {
		text := src.Text[part.Span.Start:part.Span.End]
		if !EnforceMark.In(text) {
			continue
		}
		own := &source.Source{
			Name: src.Name, Text: strings.Clone(text),
			FirstLine: src.Position(part.Span.Start).Line, FirstByte: src.FirstByte + part.Span.Start,
		}
		object := &filetype.Document{Text: own.Text, APIVersion: "v1", Kind: "Namespace"}
		if _, ok := filetype.At(own.Name).OfObject(object); ok {
			continue
		}
		tree := &manifest.Tree{}
		tree.Read(own, manifest.Part{Span: source.Span{End: len(own.Text)}, Index: part.Index, Format: part.Format})
		found = appendNamespaces(found, tree.Root())
	}
	return found
}

// appendNamespaces appends the Namespaces of a document: the document itself, or the items of a list.
func appendNamespaces(found []Namespace, n manifest.Node) []Namespace {
	items := n
	switch {
	case !n.Valid():
		return found
	case n.TextAt("kind") == "Namespace":
		return appendNamespace(found, n)
	case n.Type() == manifest.Map:
		items = n.At("items")
	}
	for item := range items.Children() {
		if n.TextAt("kind") == "NamespaceList" || item.TextAt("kind") == "Namespace" {
			found = appendNamespace(found, item)
		}
	}
	return found
}

// appendNamespace appends a Namespace if it enforces a level.
func appendNamespace(found []Namespace, n manifest.Node) []Namespace {
	name, labels := n.At("metadata", "name"), n.At("metadata", "labels")
	label := labels.At(EnforceLabel)
	if !name.Valid() || !label.Valid() {
		return found
	}
	level, isLevel := rule.LevelOf(label.Text())
	minor, ok := parseVersion(cmp.Or(labels.TextAt(versionLabel), "latest"))
	if !isLevel || !ok {
		return found
	}
	enforced := Namespace{Name: name.Text(), Level: level, Minor: minor, Label: label.Place()}
	enforced.Label.Detach()
	return append(found, enforced)
}

// parseVersion reads the version in a label (k8s.io/pod-security-admission, api.ParseVersion).
func parseVersion(text string) (minor int, ok bool) {
	if text == "latest" {
		return latest, true
	}
	if !isVersion().MatchString(text) {
		return 0, false
	}
	minor, err := strconv.Atoi(strings.TrimPrefix(text, "v1."))
	return minor, err == nil
}

var isVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^v1\.(0|[1-9][0-9]*)$`) })

// Namespaces are the Namespaces of a run that enforce a level, by name.
type Namespaces map[string]*Namespace

// NewNamespaces returns the Namespaces of several texts. If some have the same name, such as those of several
// clusters, the one with the least strict level counts, and among these the first one.
func NewNamespaces(lists ...[]Namespace) Namespaces {
	all := Namespaces{}
	for _, list := range lists {
		for i := range list {
			n := &list[i]
			if known := all[n.Name]; known == nil || n.Level < known.Level {
				all[n.Name] = n
			}
		}
	}
	return all
}

// minorOf returns the version of Kubernetes that a rule sees: for a rule of the standards the version that the
// namespace enforces, which an API server that is older takes for its own.
func (d *Document) minorOf(e *rule.Entry) int64 {
	minor := d.Kubernetes
	if d.Enforced != nil && e.IsOf(rule.Restricted) {
		minor = min(minor, d.Enforced.Minor)
	}
	return int64(minor)
}

// severityOf returns the severity of a violation of the rule. An API server rejects a Pod that violates the level of
// its namespace, so this is an error unless the user sets another severity. It accepts the objects that create pods,
// with a warning.
func (d *Document) severityOf(e *rule.Entry) diag.Severity {
	if d.Enforced != nil && d.Group == "" && d.Kind == "Pod" && e.IsOf(rule.Restricted) && !e.HasOwnSeverity {
		return diag.Error
	}
	return e.Severity
}

// related returns the place of the label because of which the rule applies.
func (d *Document) related(e *rule.Entry) []diag.Related {
	if d.Enforced == nil || !e.IsOf(rule.Restricted) {
		return nil
	}
	return []diag.Related{{Place: d.Enforced.Label, Message: "the namespace enforces " + d.Enforced.Level.String()}}
}
