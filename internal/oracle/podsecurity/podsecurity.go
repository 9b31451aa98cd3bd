// Package podsecurity answers whether the Pod Security Standards allow a pod, and compares kindvet's rules with the
// answer.
//
// The answer is that of upstream's code (k8s.io/pod-security-admission/policy), in every version of the standards. It
// is a module of its own because kindvet does not depend on that code.
package podsecurity

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

// Newest is the newest minor version of the standards that upstream's code knows.
const Newest = 36

// Levels are the levels of the standards that forbid anything.
var Levels = []string{"baseline", "restricted"}

// Standards evaluates the Pod Security Standards. Any number of goroutines may use it.
type Standards struct {
	all    evaluator
	checks []check
}

type evaluator interface {
	EvaluatePod(api.LevelVersion, *metav1.ObjectMeta, *corev1.PodSpec) []policy.CheckResult
}

// check is one of upstream's checks, which are evaluated one by one to learn which of them fail.
type check struct {
	policy.Check
	evaluator evaluator
}

// New returns the standards of upstream's code.
func New() (*Standards, error) {
	checks := policy.DefaultChecks()
	all, err := policy.NewEvaluator(checks, nil)
	if err != nil {
		return nil, err
	}
	s := &Standards{all: all}
	for _, c := range checks {
		one, err := policy.NewEvaluator([]policy.Check{c}, nil)
		if err != nil {
			return nil, err
		}
		s.checks = append(s.checks, check{c, one})
	}
	return s, nil
}

// Forbids returns the names of the checks that a pod fails, sorted, in a version of the standards and of Kubernetes. A
// check that another one overrides is left out. The pod is allowed if there are none.
func (s *Standards) Forbids(level string, minor, kubernetes int, text string) ([]string, error) {
	pod, err := podOf(text)
	if err != nil {
		return nil, err
	}
	if kubernetes < gated {
		dropDisabled(&pod.Spec)
	}
	lv := api.LevelVersion{Level: api.Level(level), Version: api.MajorMinorVersion(1, minor)}
	var failed []string
	overridden := map[policy.CheckID]bool{}
	for _, c := range s.checks {
		if c.Level == api.LevelRestricted && level == "restricted" {
			for _, id := range c.in(minor).OverrideCheckIDs {
				overridden[id] = true
			}
		}
	}
	for _, c := range s.checks {
		if !overridden[c.ID] && !isAllowed(c.evaluator.EvaluatePod(lv, &pod.ObjectMeta, &pod.Spec)) {
			failed = append(failed, string(c.ID))
		}
	}
	slices.Sort(failed)
	if isAllowed(s.all.EvaluatePod(lv, &pod.ObjectMeta, &pod.Spec)) != (len(failed) == 0) {
		return nil, fmt.Errorf("the checks, evaluated one by one, differ from all of them: %v", failed)
	}
	return failed, nil
}

// gated is the first minor version of Kubernetes in which the feature gates ProcMountType and UserNamespacesSupport
// are on by default.
const gated = 33

// dropDisabled removes the fields that an API server drops before the checks if their feature gate is off
// (k8s.io/kubernetes, pkg/api/pod.DropDisabledPodFields).
func dropDisabled(pod *corev1.PodSpec) {
	pod.HostUsers = nil
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			if c := containers[i].SecurityContext; c != nil {
				c.ProcMount = nil
			}
		}
	}
	for i := range pod.EphemeralContainers {
		if c := pod.EphemeralContainers[i].SecurityContext; c != nil {
			c.ProcMount = nil
		}
	}
}

// in returns the check as it is in a version of the standards; the zero value if the check is not part of that
// version.
func (c *check) in(minor int) (found policy.VersionedCheck) {
	of := api.MajorMinorVersion(1, minor)
	for _, v := range c.Versions {
		if !of.Older(v.MinimumVersion) {
			found = v
		}
	}
	return found
}

func isAllowed(results []policy.CheckResult) bool {
	return !slices.ContainsFunc(results, func(r policy.CheckResult) bool { return !r.Allowed })
}

// templates are the fields that lead to the pod template of each kind (k8s.io/pod-security-admission,
// admission.DefaultPodSpecExtractor).
var templates = map[string]string{
	"Pod": "", "PodTemplate": "template", "ReplicationController": "spec.template",
	"Deployment": "spec.template", "DaemonSet": "spec.template", "ReplicaSet": "spec.template",
	"StatefulSet": "spec.template", "Job": "spec.template", "CronJob": "spec.jobTemplate.spec.template",
}

// podOf reads the pod template of an object.
func podOf(text string) (*corev1.PodTemplateSpec, error) {
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		return nil, err
	}
	kind, _ := object["kind"].(string)
	path, ok := templates[kind]
	if !ok {
		return nil, fmt.Errorf("%q has no pod template", kind)
	}
	for name := range strings.SplitSeq(path, ".") {
		if name != "" {
			object, _ = object[name].(map[string]any)
		}
	}
	whole, err := yaml.Marshal(object)
	if err != nil {
		return nil, err
	}
	pod := &corev1.PodTemplateSpec{}
	err = yaml.Unmarshal(whole, pod)
	for i := range pod.Spec.Volumes {
		setDefault(&pod.Spec.Volumes[i])
	}
	return pod, err
}

// setDefault sets the only default that a check can see. An API server sets it before the checks (k8s.io/kubernetes,
// pkg/apis/core/v1.SetDefaults_Volume).
func setDefault(v *corev1.Volume) {
	if v.VolumeSource == (corev1.VolumeSource{}) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
}
