package check

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/source"
)

// checker checks the documents of one text.
type checker struct {
	engine *Engine
	memory *Memory
	result *Result
	src    *source.Source
	tally  *Tally
	// policies are the outcomes of admission policies for the documents of the text.
	policies map[*policy.Policy]*policyCount
	file     File
	types    filetype.File
	part     manifest.Part // the part that is being checked
	read     manifest.Part // what has been read of it: all, or an item of its list
	tried    int           // how many trials have read it
	// chosen is what was chosen among several CRDs for a node of the part. A trial edits the document, so there is one.
	chosen struct {
		node  manifest.Node
		found lookedUp
	}
	// patched is whether a part has a patch mark.
	patched struct {
		part         source.Span
		isKnown, has bool
	}
	others []notManifest
	unread []source.Place // of values that could not be read
	// isKustomizationFile reports whether the name of the text is that of a kustomization.
	isKustomizationFile bool
	// described are the findings of the text that were not only counted.
	described Counts
	// variables are the unsubstituted variables that already have a finding in this text.
	variables map[string]bool
	// parameters are those of the Template with the object; nil if it is in none.
	parameters map[string]bool
	// isEncrypted reports whether SOPS has encrypted the list or Template with the object.
	isEncrypted bool
	// template means that an earlier document is a template. Values with the marks of a template in later documents are
	// then not rejected.
	template bool
}

// newChecker returns a checker that has checked no document of a text yet. It records what it finds in result and
// tally.
func newChecker(e *Engine, m *Memory, src *source.Source, f File, result *Result, tally *Tally) checker {
	c := checker{engine: e, memory: m, src: src, file: f, result: result, tally: tally}
	c.types = *filetype.At(src.Name)
	if f.IsWritten {
		c.types = *filetype.At("")
	}
	c.isKustomizationFile = kustomization.IsName(filepath.ToSlash(src.Name))
	return c
}

// maxRequest is the maximum size in bytes of a request to an API server (k8s.io/apiserver,
// pkg/server.DefaultMaxRequestBodyBytes).
const maxRequest = 3 << 20

// checkPart checks a part. If several keys become the same string, an API server keeps one of them at random. The
// check uses the last one, unless the server can accept the part only with the first.
func (c *checker) checkPart(part manifest.Part) {
	if c.file.Only != nil && c.checkOnly(part) {
		return
	}
	if violations, ok := c.readOther(part); ok {
		c.checkRead(part, violations)
		return
	}
	violations := c.memory.tree.Read(c.src, part)
	if c.memory.tree.IsCanceled() {
		return
	}
	if slices.ContainsFunc(violations, isAmbiguousKey) && !c.accepts(part, violations) {
		part.FirstKey = true
		first := c.memory.tree.Read(c.src, part)
		part.FirstKey = c.accepts(part, first)
		violations = c.memory.tree.Read(c.src, part)
	}
	c.checkRead(part, violations)
}

// readOther reads the outline of a part in JSON that is skipped, because a search found it and it has neither apiVersion
// nor kind. It returns false for any other part. What is skipped is told by the keys of an outline; only patches and
// the files that configure replacements are read in full.
func (c *checker) readOther(part manifest.Part) ([]diag.Violation, bool) {
	if part.Format != manifest.JSON || !c.file.IsSearched || c.isKustomizationFile || c.file.Use.IsConfiguration() ||
		strings.Contains(c.src.Text[part.Span.Start:part.Span.End], patchMark) {
		return nil, false
	}
	return c.memory.tree.ReadOutline(c.src, part, "apiVersion", "kind")
}

func isAmbiguousKey(v diag.Violation) bool { return manifest.IsAmbiguousKey(&v) }

// accepts reports whether a part that has been read has no errors. It records nothing.
func (c *checker) accepts(part manifest.Part, violations []diag.Violation) bool {
	trial := newChecker(c.engine, c.memory, c.src, c.file, &Result{}, &Tally{})
	trial.template = c.template // earlier documents decide what a value with its marks is
	trial.checkRead(part, slices.Clone(violations))
	return trial.result.Summary.Errors == 0
}

// checkRead checks a part that has been read. violations are those found while reading.
func (c *checker) checkRead(part manifest.Part, violations []diag.Violation) {
	c.part, c.read, c.tried, c.chosen.node, c.result.Documents = part, part, 0, manifest.Node{}, part.Index
	c.unread = placesOfUnread(violations)
	root := c.memory.tree.Root()
	if !root.Valid() {
		if c.engine.options.Since.knows(c.src.Text[part.Span.Start:part.Span.End]) {
			c.count(root, diag.Object{Document: part.Index}, diag.Unchanged)
			return
		}
		if c.skipTemplate(violations) || c.skipUnreadable(violations) {
			return
		}
		c.finishUnreadable(part, violations)
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

// finishUnreadable records the violation of a part that cannot be read.
func (c *checker) finishUnreadable(part manifest.Part, violations []diag.Violation) {
	c.blameVariables(violations)
	c.noteUnreadable(part)
	c.finish(manifest.Node{}, diag.Object{Document: part.Index}, violations)
}

// document is a resource that is being checked.
type document struct {
	diag.Object
	// in is the item kind of the typed list that contains the document; nil for all other documents.
	in *catalog.Kind
	// inList reports whether the document is an item of a list, and item is its index there. isNested means that the list
	// is itself an item.
	inList, isNested bool
	item             int
	// isAlone means that the item has been read without its list.
	isAlone bool
}

// check checks one document: a resource or a list of resources. violations are those found while reading.
func (c *checker) check(n manifest.Node, d document, violations []diag.Violation) {
	identity, ok := c.identify(n, &d)
	c.memory.ask(&d)
	if c.skipOther(n, &d, identity) {
		c.checkItems(n, &d, nil)
		return
	}
	if c.engine.options.Since.knowsNode(n, d.Object) {
		c.count(n, d.Object, diag.Unchanged)
		return
	}
	if c.skipHook(n, &d) {
		return
	}
	violations = append(violations, c.helmAnnotations(n, &d)...)
	violations = append(violations, c.valuesTexts(n)...)
	violations = append(violations, c.exponents(n, &d)...)
	violations = append(violations, identity...)
	if !ok {
		c.checkItems(n, &d, nil)
		c.noteMisnamed(n, &d)
		c.finish(n, d.Object, violations)
		return
	}
	switch {
	case isList(d.Object):
		c.checkList(n, d, nil, violations)
		return
	case isTemplate(n, d.Object):
		c.checkTemplate(n, d, violations)
		return
	}
	found := c.lookup(n, &d)
	switch {
	case found.kind == nil:
		c.checkItems(n, &d, nil)
		c.unknown(n, d, found.unknown, violations)
		return
	case found.isList:
		c.checkList(n, d, found.kind, violations)
		return
	}
	c.checkItems(n, &d, found.kind)
	c.checkObject(n, &d, &found, violations)
}

// checkObject checks a document of a known kind.
func (c *checker) checkObject(n manifest.Node, d *document, found *lookedUp, violations []diag.Violation) {
	kind := found.kind
	violations = append(c.memory.violations[:0], violations...)
	if sp := n.Span(); sp.End-sp.Start > maxRequest {
		violations = append(violations, violation(n, diag.ReaderLimit, "the document has "+strconv.Itoa(sp.End-sp.Start)+
			" bytes; an API server allows at most "+strconv.Itoa(maxRequest), ""))
	}
	if kind.Group != kustomization.Group {
		violations = append(violations, c.tooLargeToApply(n)...)
	}
	violations = append(violations, c.examples(n, d)...)
	old, release := c.engine.options.Old.find(d, kind, c.src.Name)
	defer release()
	values := c.noteSecrets(n, old, kind)
	c.addUnspecified(kind)
	isEncrypted := dropSOPS(n) || c.isEncrypted
	if kind.Group == kustomization.Group {
		foldKeys(n, kind.Schema)
	}
	var linted *lint.Document
	if c.engine.options.Rules.HasRules() {
		linted = c.newLintedKind(n, old, kind, d)
		violations = append(violations, c.inBuiltInNames(kind, linted, c.lintWritten)...)
	}
	enforced := c.enforced(n, old, kind, d, isEncrypted)
	if n.Tree().IsCanceled() {
		return
	}
	enforced = c.withoutAllowed(kind, d, enforced)
	found.name(enforced)
	violations = append(violations, enforced...)
	violations = append(violations, c.definition(n, old, d)...)
	violations = append(violations, c.policyFields(n, kind)...)
	violations = append(violations, deprecated(n, kind)...)
	violations = append(violations, c.references(n, d)...)
	if linted != nil {
		violations = append(violations, c.linted(linted, c.engine.options.Rules.Misspelled(linted, kind.Schema))...)
		if len(violations) == 0 && !isEncrypted { // otherwise findings may be dropped below
			linted.OnlyCount = c.onlyCount()
		}
		violations = append(violations, c.inBuiltInNames(kind, linted, c.lint)...)
	}
	if c.engine.policies != nil && !isEncrypted {
		violations = append(violations, c.admit(n, old, kind, d, violations)...)
	}
	if isEncrypted {
		violations = c.withoutEncrypted(n, d, violations)
	}
	violations = withoutRepeats(c.withoutUnread(violations))
	hideValues(violations, values)
	c.finish(n, d.Object, violations)
	c.memory.violations = violations
	clear(violations)
}

// placesOfUnread returns the places of the values that could not be read in a document that could.
func placesOfUnread(violations []diag.Violation) (places []source.Place) {
	for i := range violations {
		if violations[i].Rule == diag.Syntax {
			places = append(places, violations[i].Place)
		}
	}
	return places
}

// withoutUnread drops the findings about values that could not be read, except the reason.
func (c *checker) withoutUnread(violations []diag.Violation) []diag.Violation {
	if len(c.unread) == 0 {
		return violations
	}
	return slices.DeleteFunc(violations, func(v diag.Violation) bool {
		return v.Rule != diag.Syntax && slices.ContainsFunc(c.unread, v.Place.IsSame)
	})
}

// withoutRepeats drops the findings of lint rules about values of the wrong type and misspelled fields that an error
// reports already: for example that YAML reads yes as a boolean. A name that a server rejects has no warning of the server.
func withoutRepeats(violations []diag.Violation) []diag.Violation {
	var wrong []source.Place
	for i := range violations {
		switch v := &violations[i]; v.Rule {
		case diag.WrongType, diag.BadName:
			wrong = append(wrong, v.Place)
		case diag.MissingField: // because of a misspelled one
			for _, r := range v.Related {
				wrong = append(wrong, r.Place)
			}
		}
	}
	if len(wrong) == 0 || len(wrong) > mostRepeated {
		return violations
	}
	return slices.DeleteFunc(violations, func(v diag.Violation) bool {
		return (!v.Rule.Enforced() || v.Rule == diag.ServerWarning) && slices.ContainsFunc(wrong, v.Place.IsSame)
	})
}

// mostRepeated limits the number of values of the wrong type whose other findings are dropped. Each finding is
// compared with each of them. If there are more, all are kept.
const mostRepeated = 100

// longestWarning is the maximum length of a deprecationWarning in characters. A CRD that was passed as a schema may
// have a longer one.
const longestWarning = 256

// deprecated returns the warning of an API server about a deprecated version (k8s.io/apiserver,
// pkg/endpoints/deprecation.WarningMessage).
func deprecated(n manifest.Node, kind *catalog.Kind) []diag.Violation {
	if !kind.Deprecated {
		return nil
	}
	message := diag.Cut(kind.DeprecationWarning, longestWarning)
	if message == "" {
		message = kind.APIVersion() + " " + kind.Name + " is deprecated"
	}
	at := n
	if f, ok := n.Field("apiVersion"); ok {
		at = f
	}
	v := violation(at, diag.DeprecatedVersion, message, kind.Replacement)
	if v.Severity = diag.Warning; kind.Stored.IsNewest {
		v.Common = kind.Stored.Source + ": " + message
	}
	if version, ok := strings.CutPrefix(kind.Replacement, "use "); ok && at != n && !strings.Contains(version, " ") {
		v.Fixes = at.TextFix(version)
	}
	return []diag.Violation{v}
}

// enforced returns the violations of the schema and its CEL rules, and records the rules that were not evaluated.
func (c *checker) enforced(n, old manifest.Node, kind *catalog.Kind, d *document, isEncrypted bool) []diag.Violation {
	violations := kind.CheckFor(c.engine.options.Catalog.Kubernetes(), n, old)
	if c.engine.isAgain {
		return nil // the rules have been evaluated before, and lint rules only need what the schema has changed
	}
	compiled := kind.Expressions.Check(n, old)
	rules := kind.Rules.Check(c.engine.options.Allowance, n, old)
	rules.Violations = append(compiled.Violations, rules.Violations...)
	rules.NotEvaluated = append(compiled.NotChecked, rules.NotEvaluated...)
	c.result.Transitions += rules.Transitions
	if len(rules.NotEvaluated) > 0 {
		object := kept(d.Object)
		for i := range rules.NotEvaluated {
			rules.NotEvaluated[i].Object = object
			if isEncrypted { // rules that read an encrypted value can only be evaluated after decryption
				rules.NotEvaluated[i].Reason = diag.ValueEncrypted
			}
		}
	}
	c.takeNotEvaluated(rules.NotEvaluated)
	return c.withoutNamespaces(append(violations, rules.Violations...), d)
}

// kindFixes returns the fixes of an unknown kind. f is the field that the finding is about.
func kindFixes(n, f manifest.Node, u *catalog.Unknown) (fixes []diag.Fix) {
	if u.Use != "" && f.Valid() {
		fixes = diag.Safely(u.IsSafe || nearest.IsSpelling(f.Text(), u.Use, nil), f.TextFix(u.Use))
	}
	apiVersion, ok := n.Field("apiVersion")
	if !ok || findVariable(apiVersion.Text()) != "" {
		return fixes
	}
	var others []diag.Fix
	for _, version := range u.APIVersions {
		others = append(others, apiVersion.TextFix(version)...)
	}
	// A kind of Kubernetes in another group of Kubernetes is misplaced. Other projects use the same names for other kinds.
	if group, _ := catalog.SplitAPIVersion(apiVersion.Text()); len(others) == 1 && u.Near && u.Rule != diag.UnknownVersion &&
		catalog.IsKubernetesGroup(group) {
		return append(fixes, others...)
	}
	return append(fixes, diag.Choices(others)...)
}

// unknown handles a document whose kind has no schema.
func (c *checker) unknown(n manifest.Node, d document, u catalog.Unknown, violations []diag.Violation) {
	violations = append(violations, c.tooLargeToApply(n)...)
	violations = append(violations, c.examples(n, &d)...)
	if !u.Near && c.engine.options.Rules.HasRules() { // otherwise the rules of another kind would apply
		group, _ := catalog.SplitAPIVersion(d.APIVersion)
		linted := c.newLinted(n, manifest.Node{}, group, d.Kind, &d)
		violations = append(violations, c.lintWritten(linted)...)
		violations = append(violations, c.lint(linted)...)
	}
	severity := diag.Severity(0)
	switch mode := c.engine.options.UnknownKinds; {
	case mode == Fail || mode == Auto && u.Near && !u.IsCopy:
		severity = diag.Error
	case mode == Warn || mode == Auto && u.Near:
		severity = diag.Warning
	}
	if severity != 0 || len(violations) > 0 || c.engine.options.Objects { // there will be a finding about it
		c.noteMisnamed(n, &d)
	}
	if severity == 0 {
		c.addSkipped(&d, u.Hint)
		result := diag.Skipped
		if len(violations) > 0 || c.engine.options.Objects {
			d.Object = kept(d.Object)
		}
		if unknown, _ := c.withoutKnown(d.Object, violations); c.take(d.Object, unknown) == diag.Error {
			result = diag.Invalid
		}
		c.count(n, d.Object, result)
		return
	}
	field := "apiVersion"
	if u.Rule == diag.UnknownKind && findVariable(d.APIVersion) == "" { // otherwise that is why the kind is unknown
		field = "kind"
	}
	f, _ := n.Field(field)
	v := violation(f, u.Rule, u.Message, u.Help)
	if v.Severity = severity; severity == diag.Warning {
		v.Common = u.Newest
	}
	v.Fixes = kindFixes(n, f, &u)
	if u.CRD != (source.Place{}) {
		v.Related = append(v.Related, diag.Related{Place: u.CRD, Message: "the CRD of the kind"})
	}
	c.finishAs(diag.Skipped, n, d.Object, append(violations, v))
}
