package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/definition"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// CRD is a CustomResourceDefinition in the form that the store writes.
type CRD struct {
	// Path is GROUP/PLURAL.yaml.
	Path string
	// Text is the text of the document. For an item of a List it is the YAML of the item.
	Text string
	// Origin is the file from which it was read.
	Origin string

	kind string
}

// Kind returns the group and the kind that it defines.
func (c CRD) Kind() (group, kind string) {
	group, _, _ = strings.Cut(c.Path, "/")
	return group, c.kind
}

// Name returns the name of the CRD, such as certificates.cert-manager.io.
func (c CRD) Name() string {
	group, plural, _ := strings.Cut(strings.TrimSuffix(c.Path, ".yaml"), "/")
	return plural + "." + group
}

// Patterns for the groups and plurals from which file names are made. They do not match path separators.
const (
	groupPattern  = `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*`
	pluralPattern = `[a-z]([a-z0-9-]{0,61}[a-z0-9])?`
)

// maxGroup is the maximum length of a group, which is a subdomain.
const maxGroup = 253

var (
	validGroup  = whole(groupPattern)
	validPlural = whole(pluralPattern)
)

// whole compiles a pattern for a whole string on first use: most runs have no use for any, and the patterns are large.
func whole(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + pattern + `$`) })
}

// MayHaveCRDs reports whether a file with a text can have CRDs. Only such files need be kept.
func MayHaveCRDs(text string) bool { return catalog.Declares(text) }

// Split returns the CRDs of a file, including those in Lists. It skips other documents. problems describe the CRDs
// that cannot be used, with file and line.
func Split(src *source.Source) (crds []CRD, problems []string) {
	if !MayHaveCRDs(src.Text) {
		return nil, nil
	}
	for part := range manifest.Parts(src) {
		tree := &manifest.Tree{}
		problem := func(line int, message string) {
			problems = append(problems, fmt.Sprintf("%s:%d: %s", src.Name, line, message))
		}
		text := src.Text[part.Span.Start:part.Span.End]
		for _, v := range tree.Read(src, part) {
			if v.Severity == diag.Error && MayHaveCRDs(text) {
				problem(v.Place.Start().Line, unreadable(text, v.Message))
				break
			}
		}
		for made := range catalog.MadeCRDs(src, tree.Root()) {
			c, err := newMadeCRD(made)
			if err != nil {
				problem(made.FirstLine, err.Error())
				continue
			}
			c.Origin = src.Name
			crds = append(crds, c)
		}
		for n := range catalog.CRDs(tree.Root()) {
			if isPatch(n) {
				continue
			}
			c, err := newCRD(n, text)
			if err != nil {
				problem(n.HeadPlace().Start().Line, err.Error())
				continue
			}
			c.Origin = src.Name
			crds = append(crds, c)
		}
	}
	return crds, problems
}

// newMadeCRD returns a CRD that a controller makes, as YAML.
func newMadeCRD(src *source.Source) (CRD, error) {
	text, err := manifest.YAMLOfJSON([]byte(src.Text))
	if err != nil {
		return CRD{}, err
	}
	tree := &manifest.Tree{}
	made := &source.Source{Name: src.Name, Text: text}
	for part := range manifest.Parts(made) {
		tree.Read(made, part)
	}
	return newCRD(tree.Root(), text)
}

// isPatch reports whether a CRD is a kustomize patch for a CRD in another file.
func isPatch(n manifest.Node) bool {
	return !n.At("spec", "group").Valid() && !n.At("spec", "names").Valid() && !n.At("spec", "versions").Valid()
}

// unreadable returns a message about a document that cannot be read.
func unreadable(text, message string) string {
	if strings.Contains(text, "{{") {
		return "is a template; add what 'helm template --include-crds' prints"
	}
	return message
}

// newCRD checks the CRD at a node of a document with the given text.
func newCRD(n manifest.Node, document string) (CRD, error) {
	group, plural := n.At("spec").TextAt("group"), n.At("spec", "names").TextAt("plural")
	switch {
	case !validGroup().MatchString(group) || len(group) > maxGroup:
		return CRD{}, fmt.Errorf("%.100q is not a valid API group", group)
	case !validPlural().MatchString(plural):
		return CRD{}, fmt.Errorf("%.100q is not a valid plural", plural)
	}
	for _, v := range definition.CheckSchemas(n) {
		if v.Rule == diag.MissingField && len(v.Path) > 1 && v.Path[0].Name == "spec" && v.Path[1].Name == "versions" {
			return CRD{}, fmt.Errorf("an API server rejects it: line %d: %s", v.Place.Start().Line, v.Message)
		}
	}
	c := CRD{Path: group + "/" + plural + ".yaml", kind: strings.Clone(n.At("spec", "names").TextAt("kind"))}
	if n.Parent().Valid() {
		text, err := itemText(n)
		if err != nil {
			return CRD{}, err
		}
		c.Text = text
	} else {
		c.Text = strings.TrimRight(strings.TrimPrefix(document, "\ufeff"), " \t\r\n") + "\n"
	}
	return c, c.check()
}

// check returns an error if the CRD has no usable version.
func (c CRD) check() error {
	src := &source.Source{Name: c.Path, Text: c.Text}
	entries, found, violations := catalog.ReadCRDs(src)
	if found != 1 {
		return errors.New("cannot be read by itself")
	}
	for _, e := range entries {
		if slices.ContainsFunc(e.Versions, func(v string) bool { _, ok := e.Kind(v); return ok }) {
			return nil
		}
		violations = append(violations, e.Violations()...)
	}
	if len(violations) > 0 {
		return fmt.Errorf("cannot be used: %s: %s", violations[0].Path, violations[0].Message)
	}
	return errors.New("cannot be used: it has no version with a schema")
}

// itemText returns an item of a List as a document. It omits the fields that change on a cluster all the time, and
// writes only those that define the kind.
func itemText(n manifest.Node) (string, error) {
	var item struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name        string            `json:"name"`
			Annotations map[string]string `json:"annotations,omitempty"`
		} `json:"metadata"`
		Spec map[string]any `json:"spec"`
	}
	decoder := json.NewDecoder(bytes.NewReader(n.AppendJSON(nil)))
	decoder.UseNumber()
	if err := decoder.Decode(&item); err != nil {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	delete(item.Metadata.Annotations, "kubectl.kubernetes.io/last-applied-configuration")
	delete(item.Spec, "conversion") // contains certificates of webhooks, which are renewed
	text, err := json.Marshal(item)
	if err != nil {
		return "", err
	}
	return manifest.YAMLOfJSON(text)
}
