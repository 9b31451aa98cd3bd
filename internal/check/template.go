package check

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/kustomization"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// skipTemplate handles a part that cannot be read because it is a template, and reports whether it was skipped. If the
// user named the file, the violation calls it a template.
//
// Whether a text may be a template depends on where it comes from: a program has written its output, and kustomize
// reads resources as they are. In other files a statement of a template engine excuses a fault only where it causes
// the fault, so a mark in a string or a comment hides no mistake.
func (c *checker) skipTemplate(violations []diag.Violation) bool {
	if len(violations) != 1 || violations[0].Rule != diag.Syntax || c.isWritten() || c.file.Use == kustomization.Source {
		return false
	}
	v := &violations[0]
	at, ok := c.statement(v)
	if !ok {
		return false
	}
	isKnown := c.template
	c.template = true
	if c.file.IsSearched {
		c.skip(filetype.Template())
	}
	if c.file.IsSearched || isKnown { // a template is reported once for each file
		return true
	}
	mark := c.text()[at.Start : at.Start+2]
	v.Message = "this looks like a template, not YAML: found " + mark
	v.Help = "render it and validate the output; if the value belongs to the manifest, quote it"
	v.Place = c.src.Place(source.Span{Start: c.part.Span.Start + at.Start, End: c.part.Span.Start + at.Start + len(mark)})
	return false
}

// isWritten reports whether a program has written the current part, so it is not a template.
func (c *checker) isWritten() bool {
	if c.file.IsWritten {
		return true
	}
	_, ok := commentedSource(c.text())
	return ok
}

// statement returns the statement of a template engine that explains a fault. In a file with a name that such an engine
// gives its templates, any statement does.
func (c *checker) statement(v *diag.Violation) (source.Span, bool) {
	text := c.text()
	at := v.Place.Found().Start - c.src.FirstByte - c.part.Span.Start
	if at < 0 || at > len(text) {
		return source.Span{}, false
	}
	found, ok := manifest.TemplateStatement(text, at)
	// If an earlier document is a template, so is this one.
	isOwn := ok && !c.template && hasOwnExpressions(text) && !statementOfTemplate().MatchString(text[found.Start:found.End])
	if !ok || isOwn {
		if format, isKnown := c.types.Of(&filetype.Document{Text: text}); isKnown && *format.Type == *filetype.Template().Type {
			return manifest.FirstStatement(text)
		}
		return source.Span{}, false
	}
	return found, true
}

// hasOwnExpressions reports whether the fields of an object hold expressions in double braces. In such an object they
// are quoted, and a value in braces without quotes is a mistake.
func hasOwnExpressions(text string) bool {
	m := ownExpressions().FindStringSubmatch(text)
	return m != nil && (!strings.HasSuffix(m[1], "Policy") || strings.Contains(text, "kyverno.io"))
}

// ownExpressions matches the line with a kind whose fields may hold expressions in double braces.
var ownExpressions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^kind:[ \t]*["']?(` + strings.Join([]string{
		"ApplicationSet", "(Cluster)?(Cron)?Workflow(Template)?", "(Cluster)?AnalysisTemplate", "Sensor",
		"PrometheusRule", "VMRule", "Alertmanager(Config)?", "(Cluster|Namespaced)?(Cleanup|Validating|Mutating|Generating)?Policy",
		"(Cluster)?ExternalSecret", "(Cluster)?PushSecret", "NodeFeatureRule", "GrafanaDashboard",
	}, "|") + `)["']?[ \t]*(#.*)?\r?$`)
})

// statementOfTemplate matches what only a template has. Expressions in objects are the names of values.
var statementOfTemplate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\{\{-|\{[%#]|\{\{ *(/\*|\$?\.(Values|Release|Chart|Files|Capabilities)\b|` +
		`(if|else|end|range|with|include|template|define|block|tpl|toYaml)\b))`)
})

// hasStatement reports whether a value has a mark of a template engine.
func hasStatement(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%")
}
