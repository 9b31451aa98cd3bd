package formats

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Formats of the values of a pod's annotations (k8s.io/kubernetes,
// pkg/apis/core/validation.ValidatePodSpecificAnnotations).

// isSeccompAnnotation reports whether a text names a seccomp profile (ValidateSeccompProfile).
func isSeccompAnnotation(text string) bool {
	if profile, ok := strings.CutPrefix(text, "localhost/"); ok {
		return isRelativePath(profile)
	}
	return text == "runtime/default" || text == "docker/default" || text == "unconfined"
}

// isDeletionCost reports whether a text is a 32-bit integer without plus sign and leading zeros (pkg/apis/core/helper,
// GetDeletionCostFromPodAnnotations).
func isDeletionCost(text string) bool {
	if text == "" || text[0] == '+' || text[0] == '0' && text != "0" {
		return false
	}
	_, err := strconv.ParseInt(text, 10, 32)
	return err == nil
}

// toleration has the fields of a toleration in an annotation. Their case does not matter, and other fields are
// ignored.
type toleration struct {
	Key, Operator, Value, Effect string
	TolerationSeconds            *int64
}

// isTolerations reports whether a text is a list of valid tolerations in JSON, or empty (ValidateTolerations).
func isTolerations(text string) bool {
	var list []toleration
	if text == "" {
		return true
	}
	err := json.Unmarshal([]byte(text), &list)
	return err == nil && !slices.ContainsFunc(list, func(t toleration) bool { return !t.isValid() })
}

func (t toleration) isValid() bool {
	isExists := t.Operator == "Exists"
	switch {
	case t.Key == "" && !isExists, t.Key != "" && CheckQualifiedName(t.Key) != nil:
		return false
	case t.TolerationSeconds != nil && t.Effect != "NoExecute", isExists && t.Value != "":
		return false
	case !isExists && t.Operator != "" && t.Operator != "Equal", !isExists && CheckLabelValue(t.Value) != nil:
		return false
	}
	return slices.Contains([]string{"", "NoSchedule", "PreferNoSchedule", "NoExecute"}, t.Effect)
}

// isDeprecatedNodeLabel reports whether the key of a label of nodes is deprecated (k8s.io/kubernetes,
// pkg/api/node.GetNodeLabelDeprecatedMessage).
func isDeprecatedNodeLabel(key string) bool {
	switch key {
	case "beta.kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/instance-type",
		"failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
		"app.kubernetes.io/created-by", "scheduler.alpha.kubernetes.io/preferAvoidPods", "node-role.kubernetes.io/master":
		return true
	}
	return false
}
