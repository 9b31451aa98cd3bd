package parity

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
)

// Pod is an object with a pod, and what a version of the Pod Security Standards says about it.
type Pod struct {
	// Level is baseline or restricted. Minor is the minor version of the standards.
	Level string `json:"level"`
	Minor int    `json:"minor"`
	// IsEnforced means that the newest version of Kubernetes checks the pod because its namespace enforces the level.
	// Otherwise the version of Kubernetes is that of the standards.
	IsEnforced bool   `json:"enforced,omitempty"`
	Text       string `json:"text"`
	// Forbids are the names of upstream's checks that the pod fails, sorted.
	Forbids []string `json:"forbids"`
}

// podRules are the rules that find what a check of upstream forbids. A check of the level restricted that overrides
// one of the level baseline forbids what that one does, and more.
var podRules = map[string][]diag.Rule{
	"allowPrivilegeEscalation": {"pod-security/privilege-escalation"},
	"appArmorProfile":          {"pod-security/apparmor-profile", "pod-security/apparmor-annotation"},
	"capabilities_baseline":    {"pod-security/added-capability"},
	"capabilities_restricted": {
		"pod-security/added-capability", "pod-security/default-capability", "pod-security/capabilities-kept",
	}, "hostNamespaces": {"pod-security/host-namespace"},
	"hostPathVolumes":            {"pod-security/host-path-volume"},
	"hostPorts":                  {"pod-security/host-port"},
	"hostProbesAndHostLifecycle": {"pod-security/probe-host"},
	"privileged":                 {"pod-security/privileged-container"},
	"procMount":                  {"pod-security/unmasked-proc"},
	"procMount_restricted":       {"pod-security/unmasked-proc", "pod-security/unmasked-proc-in-user-namespace"},
	"restrictedVolumes":          {"pod-security/host-path-volume", "pod-security/volume-type"},
	"runAsNonRoot":               {"pod-security/root-allowed", "pod-security/root-not-forbidden"},
	"runAsUser":                  {"pod-security/root-user"},
	"seLinuxOptions":             {"pod-security/selinux-type", "pod-security/selinux-user"},
	"seccompProfile_baseline":    {"pod-security/seccomp-profile", "pod-security/seccomp-annotation"},
	"seccompProfile_restricted":  {"pod-security/seccomp-profile", "pod-security/no-seccomp-profile"},
	"sysctls":                    {"pod-security/unsafe-sysctl"},
	"windowsHostProcess":         {"pod-security/windows-host-process"},
}

// podEngines holds the engines that check pods, by the tag of their rules and the version of Kubernetes.
var podEngines sync.Map

type tagVersion struct {
	tag   string
	minor int
}

// engine returns the engine that checks the pod: one with the rules of its level, or one without rules of the
// standards.
func (p *Pod) engine() *check.Engine {
	key := tagVersion{"pod-security-" + p.Level, p.Minor}
	options := rule.Options{Enable: []string{key.tag}}
	if p.IsEnforced {
		key, options = tagVersion{minor: catalog.NewestKubernetes}, rule.Options{Profile: "recommended"}
	}
	if e, ok := podEngines.Load(key); ok {
		return e.(*check.Engine)
	}
	set, err := lint.New(options)
	if err != nil {
		panic("every level is a tag of rules: " + err.Error())
	}
	kinds := catalog.For(catalog.Server{Minor: key.minor}, catalog.KubernetesKinds(key.minor))
	e, _ := podEngines.LoadOrStore(key, check.New(check.Options{Catalog: kinds, Rules: set, UnknownKinds: check.Fail}))
	return e.(*check.Engine)
}

// sources returns the texts to check: the pod, and the Namespace that enforces the level. The pod must be in the
// namespace a.
func (p *Pod) sources() []*source.Source {
	sources := []*source.Source{{Name: "pod.yaml", Text: p.Text}}
	if p.IsEnforced {
		sources = append(sources, &source.Source{Name: "namespace.yaml", Text: fmt.Sprintf(
			"{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {%s: %s, %[1]s-version: v1.%[3]d}}}",
			lint.EnforceLabel, p.Level, p.Minor)})
	}
	return sources
}

// isEphemeral reports whether a path is that of the ephemeral containers, which a pod cannot have before it is
// created.
func isEphemeral(path diag.Path) bool {
	return strings.HasSuffix(path.String(), "spec.ephemeralContainers")
}

// PodDifferences compares the rules that find something in a pod with the checks that it fails. isValid reports
// whether an API server accepts the object otherwise. If it does not, it never applies the standards, and there is
// nothing to compare.
func PodDifferences(p Pod) (differences []string, isValid bool) {
	report, _ := p.engine().Texts(p.sources())
	var found []diag.Rule
	for i := range report.Violations {
		switch v := &report.Violations[i]; {
		case strings.HasPrefix(string(v.Rule), "pod-security/"):
			found = append(found, v.Rule)
		case v.Rule.Enforced() && v.Severity == diag.Error && !isEphemeral(v.Path):
			return nil, false
		}
	}
	for _, n := range report.NotEvaluated {
		differences = append(differences, fmt.Sprintf("not evaluated: %s: %s", n.Rule, n.Reason))
	}
	expected := map[diag.Rule]bool{}
	for _, name := range p.Forbids {
		of := podRules[name]
		if !slices.ContainsFunc(of, func(r diag.Rule) bool { return slices.Contains(found, r) }) {
			differences = append(differences, "only with upstream: "+name)
		}
		for _, r := range of {
			expected[r] = true
		}
	}
	for _, r := range found {
		if !expected[r] {
			differences = append(differences, "only with us: "+string(r))
		}
	}
	return differences, true
}

// ReadPods returns the pods recorded in a .jsonl.gz file.
func ReadPods(file string) ([]Pod, error) { return readLines[Pod](file) }
