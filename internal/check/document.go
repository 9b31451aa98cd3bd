package check

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/definition"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// checker checks the documents of one text.
type checker struct {
	engine *Engine
	memory *Memory
	result *Result
	src    *source.Source
	tally  *Tally
	file   File
	part   manifest.Part // the part that is being checked
	tried  int           // how many trials have read it
	others []notManifest
	// variables are the unsubstituted variables that already have a finding in this text.
	variables map[string]bool
	// template means that an earlier document is a template. Later documents with the marks of a template are then
	// treated as part of it.
	template bool
	// objectFormats are the formats that a whole manifest in a file of this path may have; nil before the first document.
	objectFormats []*filetype.Format
}

// maxRequest is the maximum size in bytes of a request to an API server (k8s.io/apiserver,
// pkg/server.DefaultMaxRequestBodyBytes).
const maxRequest = 3 << 20

// checkPart checks a part. If several keys become the same string, an API server keeps one of them at random. The
// check uses the last one, unless the server can accept the part only with the first.
func (c *checker) checkPart(part manifest.Part) {
	violations := c.memory.tree.Read(c.src, part)
	if slices.ContainsFunc(violations, isAmbiguousKey) && !c.accepts(part, violations) {
		part.FirstKey = true
		first := c.memory.tree.Read(c.src, part)
		part.FirstKey = c.accepts(part, first)
		violations = c.memory.tree.Read(c.src, part)
	}
	c.checkRead(part, violations)
}

func isAmbiguousKey(v diag.Violation) bool { return manifest.IsAmbiguousKey(&v) }

// accepts reports whether a part that has been read has no errors. It records nothing.
func (c *checker) accepts(part manifest.Part, violations []diag.Violation) bool {
	before := *c
	c.result, c.tally, c.variables, c.others = &Result{}, &Tally{}, nil, nil
	c.checkRead(part, slices.Clone(violations))
	accepted := c.result.Summary.Errors == 0
	*c = before
	return accepted
}

// checkRead checks a part that has been read. violations are those found while reading.
func (c *checker) checkRead(part manifest.Part, violations []diag.Violation) {
	c.part, c.tried, c.result.Documents = part, 0, part.Index
	if c.partOfTemplate(violations) {
		return
	}
	root := c.memory.tree.Root()
	if !root.Valid() {
		if c.engine.since.knows(c.src.Text[part.Span.Start:part.Span.End]) {
			c.count(root, diag.Object{Document: part.Index}, diag.Unchanged)
			return
		}
		if c.skipUnreadable() {
			return
		}
		c.blameVariables(violations)
		c.noteUnreadable(part)
		c.finish(root, diag.Object{Document: part.Index}, violations)
		return
	}
	if root.Type() == manifest.List && part.Format == manifest.JSON { // a JSON array of documents
		for item := range root.Children() {
			c.check(item, document{Object: diag.Object{Document: part.Index}}, violations)
			violations = nil
		}
		return
	}
	c.check(root, document{Object: diag.Object{Document: part.Index}}, violations)
}

// document is a resource that is being checked.
type document struct {
	diag.Object
	// in is the item kind of the typed list that contains the document; nil for all other documents.
	in *catalog.Kind
	// inList reports whether the document is an item of a list.
	inList bool
}

// check checks one document: a resource or a list of resources. violations are those found while reading.
func (c *checker) check(n manifest.Node, d document, violations []diag.Violation) {
	identity, ok := c.identify(n, &d)
	if c.skipOther(n, &d, identity) {
		return
	}
	if c.engine.since.knowsNode(n) {
		c.count(n, d.Object, diag.Unchanged)
		return
	}
	violations = append(violations, identity...)
	if !ok {
		c.noteMisnamed(n, &d)
		c.finish(n, d.Object, violations)
		return
	}
	if isList(d.Object) {
		c.checkList(n, d, nil, violations)
		return
	}
	found := c.lookup(n, &d)
	kind := found.kind
	switch {
	case kind == nil:
		c.unknown(n, d, found.unknown, violations)
		return
	case found.isList:
		c.checkList(n, d, kind, violations)
		return
	}
	if sp := n.Span(); sp.End-sp.Start > maxRequest {
		violations = append(violations, violation(n, diag.ReaderLimit, "the document has "+strconv.Itoa(sp.End-sp.Start)+
			" bytes; an API server accepts at most "+strconv.Itoa(maxRequest), ""))
	}
	old, release := c.engine.old.find(&d, kind)
	defer release()
	if kind.HoldsSecrets() {
		c.result.Secrets.note(c.src, n, kind)
		if old.Valid() {
			c.result.Secrets.noteOld(old, kind)
		}
	}
	c.addUnspecified(kind)
	isEncrypted := dropSOPS(n)
	if kind.Group == kustomization.Group {
		foldKeys(n, kind.Schema)
	}
	linted := c.newLintedKind(n, old, kind, d.Object)
	violations = append(violations, c.inBuiltInNames(kind, linted, c.lintWritten)...)
	before := len(violations)
	violations = append(violations, schema.Check(n, kind.Schema, kind.Resource, old)...)
	rules := kind.Rules.Check(n, old)
	c.result.Transitions += rules.Transitions
	if isEncrypted { // report only that values are encrypted
		rules.NotEvaluated = nil
	}
	if len(rules.NotEvaluated) > 0 {
		object := kept(d.Object)
		for i := range rules.NotEvaluated {
			rules.NotEvaluated[i].Object = object
		}
	}
	c.takeNotEvaluated(rules.NotEvaluated)
	violations = append(violations, rules.Violations...)
	found.name(violations[before:])
	if d.Kind == "CustomResourceDefinition" && catalog.IsDefinition(n) {
		violations = append(violations, definition.Check(n)...)
	}
	violations = append(violations, c.references(n, &d)...)
	violations = append(violations, c.linted(linted, c.engine.rules.Misspelled(linted, kind.Schema))...)
	violations = append(violations, c.inBuiltInNames(kind, linted, c.lint)...)
	if isEncrypted {
		violations = c.withoutEncrypted(n, violations)
	}
	c.finish(n, d.Object, violations)
}

// resourceList is the kind of the input of KRM functions.
const resourceList = "ResourceList"

// isList reports whether a document is a list of resources of any kind: a core List or a ResourceList.
func isList(o diag.Object) bool {
	return o.APIVersion == "v1" && o.Kind == "List" ||
		o.Kind == resourceList && strings.HasPrefix(o.APIVersion, "config.kubernetes.io/v1")
}

// identify reads apiVersion and kind, and name and namespace if they are strings. It returns false if the kind cannot
// be looked up.
func (c *checker) identify(n manifest.Node, d *document) ([]diag.Violation, bool) {
	if n.Type() != manifest.Map {
		rule := diag.MissingKind
		if d.inList {
			rule = diag.WrongType
		}
		return []diag.Violation{violation(n, rule, "a document must be an object with apiVersion and kind, got "+n.Type().String(), "")}, false
	}
	if d.in == nil && !hasValue(n, "apiVersion") && !hasValue(n, "kind") && !c.isKustomization(n) {
		v := violation(n, diag.MissingKind, "not a Kubernetes manifest: apiVersion and kind are missing", "")
		return []diag.Violation{v}, false
	}
	var violations []diag.Violation
	apiVersion, vs := c.identityField(n, "apiVersion", d)
	violations = append(violations, vs...)
	kind, vs := c.identityField(n, "kind", d)
	violations = append(violations, vs...)
	if c.isKustomization(n) {
		violations = nil
		apiVersion, kind = kustomization.Identity(n.TextAt("apiVersion"), n.TextAt("kind"))
	}
	d.APIVersion, d.Kind = apiVersion, kind
	if meta, ok := n.Field("metadata"); ok {
		d.Name, d.Namespace = meta.TextAt("name"), meta.TextAt("namespace")
		if d.Name == "" {
			d.Name = meta.TextAt("generateName")
		}
	}
	if d.in != nil && len(violations) == 0 {
		violations = c.fitsList(n, d)
	}
	return violations, len(violations) == 0
}

// hasValue reports whether a field has a value that is not null.
func hasValue(n manifest.Node, name string) bool {
	f, ok := n.Field(name)
	return ok && f.Type() != manifest.Null
}

// isKustomization reports whether a document of a kustomization file is a Kustomization or Component. Both may omit
// apiVersion and kind. The file may also hold another kind, such as Flux's Kustomization.
func (c *checker) isKustomization(n manifest.Node) bool {
	if !kustomization.IsName(filepath.ToSlash(c.src.Name)) || !hasValue(n, "apiVersion") && hasValue(n, "spec") {
		return false
	}
	group, _ := catalog.SplitAPIVersion(n.TextAt("apiVersion"))
	return !hasValue(n, "apiVersion") || group == kustomization.Group && !hasValue(n, "kind")
}

func (c *checker) identityField(n manifest.Node, name string, d *document) (string, []diag.Violation) {
	f, ok := n.Field(name)
	switch {
	case ok && f.Type() == manifest.String && f.Text() != "" && (name != "apiVersion" || strings.Count(f.Text(), "/") < 2):
		return f.Text(), nil
	case (!ok || f.Type() == manifest.Null) && d.in != nil:
		return "", nil
	case !ok:
		v := violation(n, diag.MissingKind, "required field "+diag.Quote(name)+" is missing", "")
		v.Path = n.Path().Field(name)
		return "", []diag.Violation{v}
	case f.Type() != manifest.String:
		return "", []diag.Violation{violation(f, diag.WrongType, "must be a string, got "+f.Type().String(), "")}
	case f.Text() == "":
		return "", []diag.Violation{violation(f, diag.MissingKind, name+" must not be empty", "")}
	}
	return "", []diag.Violation{violation(f, diag.MissingKind, diag.Quote(f.Text())+" has more than one slash",
		"use GROUP/VERSION")}
}

// fitsList compares the apiVersion and kind of an item with those of the enclosing list.
func (c *checker) fitsList(n manifest.Node, d *document) []diag.Violation {
	var violations []diag.Violation
	if d.APIVersion != "" && d.APIVersion != d.in.APIVersion() {
		f, _ := n.Field("apiVersion")
		violations = append(violations, violation(f, diag.UnknownVersion,
			"an item of "+diag.Article(d.in.ListName)+" must have apiVersion "+d.in.APIVersion()+", got "+diag.Quote(d.APIVersion), ""))
	}
	if d.Kind != "" && d.Kind != d.in.Name {
		f, _ := n.Field("kind")
		violations = append(violations, violation(f, diag.UnknownKind,
			"an item of "+diag.Article(d.in.ListName)+" must be "+diag.Article(d.in.Name)+", got "+diag.Quote(d.Kind), ""))
	}
	d.APIVersion, d.Kind = d.in.APIVersion(), d.in.Name
	return violations
}

// checkList checks a list item by item. kind is nil for a List of any kind.
func (c *checker) checkList(n manifest.Node, d document, kind *catalog.Kind, violations []diag.Violation) {
	violations = append(violations, schema.CheckListMeta(n)...)
	var items manifest.Node
	for f := range n.Children() {
		switch key := f.Key(); {
		case key == "apiVersion" || key == "kind" || key == "metadata":
		case key == "items":
			if !f.Shadowed() {
				items = f
			}
		case d.Kind == resourceList && (key == "functionConfig" || key == "results"):
		default:
			v := violation(f, diag.UnknownField, "unknown field "+diag.Quote(f.Key()), "a list can only have apiVersion, kind, metadata and items")
			v.Place = f.KeyPlace()
			violations = append(violations, v)
		}
	}
	switch {
	case !items.Valid() || items.Type() == manifest.Null:
		v := violation(n, diag.MissingField, "required field \"items\" is missing", "")
		v.Path = n.Path().Field("items")
		violations = append(violations, v)
	case items.Type() != manifest.List:
		violations = append(violations, violation(items, diag.WrongType, "must be an array, got "+items.Type().String(), ""))
	default:
		for item := range items.Children() {
			c.check(item, document{Object: diag.Object{Document: d.Document}, in: kind, inList: true}, nil)
		}
	}
	if len(violations) > 0 || !items.Valid() || items.Len() == 0 {
		c.finish(n, d.Object, violations)
	}
}

// unknown handles a document whose kind has no schema.
func (c *checker) unknown(n manifest.Node, d document, u catalog.Unknown, violations []diag.Violation) {
	if !u.Near { // otherwise the rules of another kind would apply
		group, _ := catalog.SplitAPIVersion(d.APIVersion)
		linted := c.newLinted(n, manifest.Node{}, group, d.Kind, d.Object)
		violations = append(violations, c.lintWritten(linted)...)
		violations = append(violations, c.lint(linted)...)
	}
	severity := diag.Severity(0)
	switch mode := c.engine.unknownKinds; {
	case mode == Fail || mode == Auto && u.Near:
		severity = diag.Error
	case mode == Warn:
		severity = diag.Warning
	}
	if severity != 0 || len(violations) > 0 || c.engine.objects { // there will be a finding about it
		c.noteMisnamed(n, &d)
	}
	if severity == 0 {
		c.addSkipped(&d, u.Hint)
		result := diag.Skipped
		if len(violations) > 0 || c.engine.objects {
			d.Object = kept(d.Object)
		}
		if c.take(d.Object, violations) == diag.Error {
			result = diag.Invalid
		}
		c.count(n, d.Object, result)
		return
	}
	field := "apiVersion"
	if u.Rule == diag.UnknownKind {
		field = "kind"
	}
	f, _ := n.Field(field)
	v := violation(f, u.Rule, u.Message, u.Help)
	v.Severity = severity
	if u.Use != "" {
		v.Fixes = f.TextFix(u.Use)
	}
	c.finishAs(diag.Skipped, n, d.Object, append(violations, v))
}

// finish records the violations of a document and counts it. n is not valid if the document could not be read.
func (c *checker) finish(n manifest.Node, o diag.Object, violations []diag.Violation) {
	c.finishAs(diag.Valid, n, o, violations)
}

// finishAs is like finish, but records the given outcome if the document has no errors.
func (c *checker) finishAs(result diag.Outcome, n manifest.Node, o diag.Object, violations []diag.Violation) {
	if len(violations) > 0 || c.engine.objects {
		o = kept(o)
	}
	violations, hasMore := c.foldVariables(violations)
	if len(violations) > 0 {
		c.addOrigin(n, violations)
	}
	if c.take(o, violations) == diag.Error || hasMore {
		result = diag.Invalid
	}
	c.count(n, o, result)
}

// take records the violations of a document and returns the highest severity among them.
func (c *checker) take(o diag.Object, violations []diag.Violation) (worst diag.Severity) {
	for i := range violations {
		v := &violations[i]
		v.Object = o
		c.result.Summary.CountAll(v)
		worst = max(worst, v.Severity)
	}
	c.result.Violations = append(c.result.Violations, violations...)
	c.result.trim(c.engine.maxFindings)
	return worst
}

// takeNotEvaluated records the rules that were not evaluated on a document.
func (c *checker) takeNotEvaluated(list []diag.NotEvaluated) {
	for i := range list {
		c.result.Summary.NotEvaluatedUnlisted += list[i].More
	}
	c.result.NotEvaluated = append(c.result.NotEvaluated, list...)
}

// longestName is the maximum length of a name in a report, in characters. It is more than a server accepts.
const longestName = 320

// kept returns a copy of o for the report. Its names do not refer to the text that they were read from.
func kept(o diag.Object) diag.Object {
	for _, name := range []*string{&o.APIVersion, &o.Kind, &o.Namespace, &o.Name} {
		*name = strings.Clone(diag.Cut(*name, longestName))
	}
	return o
}

func (c *checker) count(n manifest.Node, o diag.Object, result diag.Outcome) {
	c.result.Summary.Documents++
	switch result {
	case diag.Valid:
		c.result.Summary.Valid++
	case diag.Invalid:
		c.result.Summary.Invalid++
	case diag.Skipped:
		c.result.Summary.Skipped++
	case diag.Unchanged:
		c.result.Summary.Unchanged++
	}
	if c.engine.objects {
		v := diag.Verdict{Object: o, Outcome: result, Place: c.src.Place(source.Span{Start: c.part.Span.Start, End: c.part.Span.Start})}
		if n.Valid() {
			v.Place = n.HeadPlace()
		}
		c.result.Objects = append(c.result.Objects, v)
	}
}

// violation returns a violation at a node.
func violation(n manifest.Node, rule diag.Rule, message, help string) diag.Violation {
	return n.Finding(diag.Violation{Rule: rule, Message: message, Help: help})
}
