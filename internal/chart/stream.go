package chart

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Stream is what 'helm template' prints for a chart.
type Stream struct {
	// Source holds the text. Its places are in the templates, as those of [Output.Source].
	Source *source.Source
	// Skipped are the documents that Helm skips because it does not know their hooks; nil if there are none.
	Skipped *Stream
	parts   []streamPart
}

// StreamOptions select what a stream consists of, as flags of 'helm template' do. The zero value selects all but CRDs.
type StreamOptions struct{ IncludeCRDs, SkipHooks, SkipTests bool }

// streamPart is a document of a stream.
type streamPart struct {
	output   *Output        // nil for a file of crds
	src      *source.Source // the output, or the file
	span     source.Span    // in src
	start    int            // in the stream
	name     string         // of the template or file
	kind     string
	isHook   bool
	isTest   bool
	isHidden bool // a hook of an unknown kind
}

// text returns the text of a part in its source.
func (p *streamPart) text() string { return p.src.Text[p.span.Start:p.span.End] }

// Stream returns the stream with the outputs. The violation is why Helm rejects one of them; it is nil otherwise.
func (r *Rendered) Stream(name string, o StreamOptions) (*Stream, *diag.Violation) {
	var parts, hooks, skipped []streamPart
	for i := range r.Outputs {
		for _, p := range r.Outputs[i].split() {
			if err := p.readHead(); err != nil {
				return nil, p.rejected(err)
			}
			switch {
			case !p.isHook:
				parts = append(parts, p)
			case p.isHidden:
				skipped = append(skipped, p)
			case !o.SkipHooks && !(o.SkipTests && p.isTest):
				hooks = append(hooks, p)
			}
		}
	}
	slices.SortStableFunc(parts, compareByKind)
	slices.SortStableFunc(hooks, compareByKind)
	var crds []streamPart
	for _, f := range r.crds {
		if o.IncludeCRDs {
			crds = append(crds, streamPart{src: f.src, span: source.Span{End: len(f.src.Text)}, name: f.name})
		}
	}
	s := newStream(name, slices.Concat(crds, parts, hooks))
	if len(skipped) > 0 {
		s.Skipped = newStream(name, skipped)
	}
	return s, nil
}

// newStream prints parts one after the other.
func newStream(name string, parts []streamPart) *Stream {
	s := &Stream{parts: parts}
	var text strings.Builder
	for i := range s.parts {
		p := &s.parts[i]
		fmt.Fprintf(&text, "---\n# Source: %s\n", p.name)
		p.start = text.Len()
		text.WriteString(p.text())
		text.WriteByte('\n')
	}
	s.Source = &source.Source{Name: name, Text: text.String(), Written: s.written}
	return s
}

// documentSeparator is what Helm takes for the line between two documents (SplitManifests in pkg/releaseutil).
var documentSeparator = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?:^|\\s*\n)---\\s*") })

// split returns the documents of an output.
func (o *Output) split() (parts []streamPart) {
	text := o.Source.Text
	end := len(strings.TrimRight(text, spaces))
	at := len(text) - len(strings.TrimLeft(text, spaces))
	if at >= end {
		return nil
	}
	add := func(from, to int) {
		if from == to {
			return
		}
		own := text[from:to]
		from += len(own) - len(strings.TrimLeft(own, spaces))
		to = max(from, to-len(own)+len(strings.TrimRight(own, spaces)))
		parts = append(parts, streamPart{output: o, src: o.Source, span: source.Span{Start: from, End: to}, name: o.Name})
	}
	first := at
	for _, found := range documentSeparator().FindAllStringIndex(text[first:end], -1) {
		add(at, first+found[0])
		at = first + found[1]
	}
	add(at, end)
	return parts
}

// spaces are what [strings.TrimSpace] removes from the usual texts.
const spaces = " \t\n\v\f\r\u0085\u00a0"

// readHead reads what decides about the place of a document in the stream (pkg/releaseutil/manifest_sorter.go).
func (p *streamPart) readHead() error {
	var head struct {
		Version  string `json:"apiVersion"`
		Kind     string `json:"kind,omitempty"`
		Metadata *struct {
			Name        string            `json:"name"`
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata,omitempty"`
	}
	if err := manifest.Unmarshal(p.text(), &head); err != nil {
		return err
	}
	p.kind = head.Kind
	if head.Metadata == nil {
		return nil
	}
	var events string
	events, p.isHook = head.Metadata.Annotations["helm.sh/hook"]
	if !p.isHook {
		return nil
	}
	for event := range strings.SplitSeq(events, ",") {
		event = strings.ToLower(strings.TrimSpace(event))
		p.isTest = p.isTest || event == "test" || event == "test-success"
		p.isHidden = p.isHidden || !slices.Contains(HookEvents, event)
	}
	return nil
}

// HookEvents are the events of hooks that Helm knows. The last one is for old charts.
var HookEvents = []string{
	"pre-install", "post-install", "pre-delete", "post-delete", "pre-upgrade", "post-upgrade", "pre-rollback",
	"post-rollback", "test", "test-success",
}

// rejected returns the violation that Helm cannot read a document.
func (p *streamPart) rejected(err error) *diag.Violation {
	at := p.src.Place(source.Span{Start: p.span.Start, End: p.src.Line(p.span.Start).End})
	at.Detach()
	return &diag.Violation{
		Rule: diag.TemplateError, Severity: diag.Error,
		Message: "the template writes invalid YAML: " + cause(err), Place: at,
	}
}

// installOrder is the order of kinds in the stream (pkg/releaseutil/kind_sorter.go). Others follow by name.
var installOrder = []string{
	"PriorityClass", "Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodSecurityPolicy",
	"PodDisruptionBudget", "ServiceAccount", "Secret", "SecretList", "ConfigMap", "StorageClass", "PersistentVolume",
	"PersistentVolumeClaim", "CustomResourceDefinition", "ClusterRole", "ClusterRoleList", "ClusterRoleBinding",
	"ClusterRoleBindingList", "Role", "RoleList", "RoleBinding", "RoleBindingList", "Service", "DaemonSet", "Pod",
	"ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler", "StatefulSet", "Job", "CronJob",
	"IngressClass", "Ingress", "APIService",
}

func compareByKind(a, b streamPart) int {
	first, second := slices.Index(installOrder, a.kind), slices.Index(installOrder, b.kind)
	switch {
	case first < 0 && second < 0:
		return strings.Compare(a.kind, b.kind)
	case first < 0:
		return 1
	case second < 0:
		return -1
	}
	return first - second
}

// at returns the part that a span of the stream starts in, and the span in the source of the part. A span before the
// first part belongs to it. It returns false if the stream is empty.
func (s *Stream) at(sp source.Span) (*streamPart, source.Span, bool) {
	i := max(sort.Search(len(s.parts), func(i int) bool { return s.parts[i].start > sp.Start })-1, 0)
	if i >= len(s.parts) {
		return nil, sp, false
	}
	p := &s.parts[i]
	within := func(at int) int { return min(max(at-p.start, 0), p.span.End-p.span.Start) + p.span.Start }
	return p, source.Span{Start: within(sp.Start), End: within(sp.End)}, true
}

// written implements [source.Source.Written].
func (s *Stream) written(sp source.Span) source.Origin {
	p, own, ok := s.at(sp)
	switch {
	case !ok:
		return source.Origin{Source: s.Source}
	case p.output == nil:
		return source.Origin{Source: p.src, Span: own}
	}
	return p.output.Source.Written(own)
}

// Supplied returns where the values are set that supplied a part of the text, as [Output.Supplied] does.
func (s *Stream) Supplied(sp source.Span) []diag.Related {
	p, own, ok := s.at(sp)
	if !ok || p.output == nil {
		return nil
	}
	return p.output.Supplied(own)
}
