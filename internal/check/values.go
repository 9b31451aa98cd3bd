package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// rulesOfValues are the lint rules about how YAML is written that also apply to the values of charts. Helm reads dates,
// and times such as 12:30, as strings.
var rulesOfValues = []diag.Rule{
	"yaml/boolean-key", "yaml/exponent", "yaml/large-number", "yaml/octal", "yaml/version-number",
	"yaml/hidden-character", "yaml/hidden-character-in-key", "yaml/tab",
}

// fileMode matches a number that is octal on purpose, in values as in manifests.
var fileMode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0[0-7]{3}$`) })

// Values checks how a file of values for a chart is written. Helm reads the first document, as an API server reads a
// manifest, but it uses the last of two values with the same key.
func (e *Engine) Values(m *Memory, src *source.Source) []diag.Violation {
	violations := e.values(&m.tree, src)
	for i := range violations {
		violations[i].Detach()
	}
	return violations
}

// values checks a file of values, which it reads into a tree.
func (e *Engine) values(tree *manifest.Tree, src *source.Source) (violations []diag.Violation) {
	isFirst := true
	for part := range manifest.Parts(src) {
		found := tree.Read(src, part)
		root := tree.Root()
		if !isFirst {
			if root.Valid() && root.Type() == manifest.Map && root.Len() > 0 {
				return append(violations, secondDocument(root))
			}
			continue
		}
		if !root.Valid() || root.Type() != manifest.Map {
			return nil
		}
		isFirst = false
		violations = append(violations, setTwice(root, found)...)
		if !e.options.Rules.HasRules() {
			continue
		}
		result := e.options.Rules.Written(&lint.Document{
			Document: sets.Document{Root: root, Partial: true}, Part: part,
			Allowance: e.options.Allowance, Kubernetes: e.options.Catalog.Kubernetes(),
		})
		for _, v := range result.Violations {
			isMode := v.Rule == "yaml/octal" && fileMode().MatchString(v.Place.Text())
			if slices.Contains(rulesOfValues, v.Rule) && !isMode {
				violations = append(violations, v)
			}
		}
	}
	return violations
}

// secondDocument returns the warning that Helm 3 does not read a document of a file (pkg/cli/values, MergeValues).
func secondDocument(root manifest.Node) diag.Violation {
	v := violation(root, diag.ChartWarning, "Helm 3 reads only the first document of a file of values, so this one is ignored",
		"move what is needed to the first one, and remove this one: Helm 4 merges both")
	v.Severity = diag.Warning
	return v
}

// setTwice returns the warnings about keys with two different values. found is what reading has found.
func setTwice(root manifest.Node, found []diag.Violation) (violations []diag.Violation) {
	byKey := map[int]manifest.Node{}
	for _, v := range found {
		if v.Rule != diag.DuplicateKey || v.Severity == diag.Info || len(v.Related) == 0 {
			continue // one that overrides a key of << is meant to
		}
		if len(byKey) == 0 {
			addByKey(root, byKey)
		}
		first, again := byKey[v.Related[0].Place.Span.Start], byKey[v.Place.Span.Start]
		if first.Valid() && again.Valid() && writtenValue(first) == writtenValue(again) {
			continue
		}
		v.Severity, v.Help = diag.Warning, "keep one of the two: Helm uses the last"
		if strings.Contains(v.Message, "becomes the same string") {
			v.Help = "keep one of the two and quote it"
			v.Message = strings.ReplaceAll(v.Message, "the server keeps", "Helm keeps")
		}
		violations = append(violations, v)
	}
	return violations
}

// addByKey adds the fields below a node, by the offsets of their keys.
func addByKey(n manifest.Node, byKey map[int]manifest.Node) {
	if n.Type() != manifest.Map && n.Type() != manifest.List {
		return
	}
	for child := range n.Children() {
		if n.Type() == manifest.Map {
			byKey[child.KeySpan().Start] = child
		}
		addByKey(child, byKey)
	}
}

// writtenValue returns the text of a field between its key and the next one. A field whose key is set again has no value.
func writtenValue(field manifest.Node) string {
	end := field.Parent().Span().End
	if next := field.Next(); next.Valid() {
		end = next.KeySpan().Start
	}
	start := field.KeySpan().End
	return strings.Trim(field.Tree().Source.Text[start:max(start, end)], " \t\r\n,:}")
}
