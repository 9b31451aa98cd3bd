package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/filetype"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/nearest"
)

// What Helm reads in annotations (pkg/release/hook.go, and pkg/kube/resource_policy.go).
const (
	hookAnnotation           = "helm.sh/hook"
	hookWeightAnnotation     = "helm.sh/hook-weight"
	resourcePolicyAnnotation = "helm.sh/resource-policy"
)

// formerEvents are events that people expect, with the events that they mean.
var formerEvents = map[string]string{
	"pre-uninstall": "pre-delete", "post-uninstall": "post-delete", "pre-update": "pre-upgrade",
	"post-update": "post-upgrade", "test-failure": "test",
}

// listedInHooks are the annotations of hooks with lists of names.
var listedInHooks = []struct {
	annotation string
	names      []string
}{
	{"helm.sh/hook-delete-policy", []string{"before-hook-creation", "hook-succeeded", "hook-failed"}},
	{"helm.sh/hook-output-log-policy", []string{"hook-succeeded", "hook-failed"}},
}

// skipHook skips a document that Helm does not install because of an unknown hook, and reports whether it did
// (pkg/releaseutil/manifest_sorter.go). Helm reads the annotations of whole documents only.
func (c *checker) skipHook(n manifest.Node, d *document) bool {
	if !c.file.IsHelm || d.inList {
		return false
	}
	hook, ok := annotation(n, hookAnnotation)
	if !ok || !hasStringAnnotations(n) { // Helm fails at another type before it looks for hooks
		return false
	}
	for event := range strings.SplitSeq(scalar(hook), ",") {
		event = strings.TrimSpace(event)
		if slices.Contains(chart.HookEvents, strings.ToLower(event)) {
			continue
		}
		v := helmWarning(hook, "Helm skips this object: unknown hook "+diag.Quote(event), helpForEvent(event))
		o := kept(d.Object)
		list, _ := c.withoutKnown(o, []diag.Violation{v})
		c.take(o, list)
		skipped := filetype.UnknownHook().Skipped(c.src.Name, false)
		skipped.Objects = 1
		c.result.NotManifests = appendTypes(c.result.NotManifests, 0, skipped)
		return true
	}
	return false
}

// hasStringAnnotations reports whether all annotations of an object are strings, or null.
func hasStringAnnotations(n manifest.Node) bool {
	for f := range n.At("metadata", "annotations").Children() {
		if f.Type() != manifest.String && f.Type() != manifest.Null {
			return false
		}
	}
	return true
}

func helpForEvent(event string) string {
	lower := strings.ToLower(event)
	switch use, ok := formerEvents[lower]; {
	case lower == "crd-install":
		return "move the CRD to crds/, or remove the annotation"
	case lower == "":
		return "name an event, or remove what is empty"
	case ok:
		return "use " + diag.Quote(use)
	}
	return useNearest(event, chart.HookEvents[:len(chart.HookEvents)-1])
}

// useNearest returns the help for a mistyped name.
func useNearest(name string, names []string) string {
	if near, ok := nearest.Name(name, names); ok {
		return "use " + diag.Quote(near)
	}
	return "use " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// helmAnnotations returns the annotations that Helm does not understand.
func (c *checker) helmAnnotations(n manifest.Node, d *document) (violations []diag.Violation) {
	if !c.file.IsHelm || d.inList {
		return nil
	}
	if policy, ok := annotation(n, resourcePolicyAnnotation); ok && scalar(policy) != "keep" {
		violations = append(violations, helmWarning(policy,
			"Helm ignores the resource policy "+diag.Quote(scalar(policy)), `use "keep", or remove it`))
	}
	if _, isHook := annotation(n, hookAnnotation); !isHook {
		return violations
	}
	if weight, ok := annotation(n, hookWeightAnnotation); ok {
		if _, err := strconv.Atoi(scalar(weight)); err != nil {
			violations = append(violations, helmWarning(weight,
				"the hook weight "+diag.Quote(scalar(weight))+" is not an integer, so Helm uses 0", "use an integer in quotes"))
		}
	}
	for _, list := range listedInHooks {
		found, ok := annotation(n, list.annotation)
		if !ok {
			continue
		}
		for name := range strings.SplitSeq(scalar(found), ",") {
			if name = strings.TrimSpace(name); !slices.Contains(list.names, strings.ToLower(name)) {
				violations = append(violations, helmWarning(found,
					"Helm ignores the policy "+diag.Quote(name), useNearest(name, list.names)))
			}
		}
	}
	return violations
}

func helmWarning(n manifest.Node, message, help string) diag.Violation {
	v := violation(n, diag.ChartWarning, message, help)
	v.Severity = diag.Warning
	return v
}

// annotation returns an annotation of an object, with any scalar as its value.
func annotation(n manifest.Node, name string) (manifest.Node, bool) {
	if n.Type() != manifest.Map {
		return n, false
	}
	for _, step := range []string{"metadata", "annotations", name} {
		next, ok := n.Field(step)
		if !ok || next.Type() == manifest.List || next.Type() == manifest.Map && step == name ||
			next.Type() != manifest.Map && step != name {
			return n, false
		}
		n = next
	}
	return n, true
}

// scalar returns the text of a scalar. A string is what it stands for, and null is empty, as in a string of Go.
func scalar(n manifest.Node) string {
	switch n.Type() {
	case manifest.String:
		return n.Text()
	case manifest.Null:
		return ""
	}
	return n.Raw()
}
