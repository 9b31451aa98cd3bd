package decoded

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

// completions fill in defaults that depend on several fields, by the name of the type. They run before those of the table.
var completions = map[string]func(n manifest.Node){
	"core.v1.Container":                              completeContainer,
	"core.v1.EphemeralContainer":                     completeContainer,
	"core.v1.Pod":                                    completePod,
	"core.v1.PodSpec":                                completePodSpec,
	"core.v1.Volume":                                 completeVolume,
	"core.v1.ServicePort":                            completeServicePort,
	"core.v1.Namespace":                              completeNamespace,
	"core.v1.ReplicationController":                  completeReplicationController,
	"core.v1.Secret":                                 completeSecret,
	"core.v1.ServiceSpec":                            completeService,
	"core.v1.LimitRangeItem":                         completeLimits,
	"apps.v1.StatefulSetSpec":                        completeStatefulSet,
	"apps.v1.DaemonSet":                              completeDaemonSet,
	"autoscaling.v2.HorizontalPodAutoscalerBehavior": completeBehavior,
	"apps.v1.StatefulSetUpdateStrategy":              completeStatefulSetStrategy,
	"batch.v1.Job":                                   completeJob,
	"networking.v1.NetworkPolicySpec":                completeNetworkPolicy,
}

// values are the values that completions set.
var values = readJSON(`{"Always": "Always", "IfNotPresent": "IfNotPresent", "RollingUpdate": "RollingUpdate", "1": 1, "6": 6,
"most": 2147483647, "true": true, "object": {}, "ingress": ["Ingress"], "both": ["Ingress", "Egress"], "Failed": "Failed",
"TerminatingOrFailed": "TerminatingOrFailed", "NonIndexed": "NonIndexed", "false": false, "v1": "v1",
"PersistentVolumeClaim": "PersistentVolumeClaim", "Cluster": "Cluster", "1-text": "1", "affinity": {"clientIP": {"timeoutSeconds": 10800}},
"up": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]},
"down": {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}}`)

func set(n manifest.Node, field, value string) {
	if _, ok := n.Field(field); !ok {
		n.AddDefault(field, values.At(value))
	}
}

// SetDefaults_Container.
func completeContainer(n manifest.Node) { set(n, "imagePullPolicy", pullPolicy(n.TextAt("image"))) }

// pullPolicy returns the policy for an image: its tag is latest if it has neither a tag nor a digest, and none if it is not the
// name of an image (pkg/util/parsers, ParseImageName).
func pullPolicy(image string) string {
	if !isImage().MatchString(image) {
		return "IfNotPresent"
	}
	name, _, hasDigest := strings.Cut(image, "@")
	tag := ""
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		tag = name[i+1:]
	}
	if tag == "latest" || tag == "" && !hasDigest {
		return "Always"
	}
	return "IfNotPresent"
}

// isImage matches the names of images (github.com/distribution/reference, ParseNormalizedNamed).
var isImage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\[(?:[a-fA-F0-9:]+)\])(?::[0-9]+)?/)?` +
		`[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*` +
		`(?::[\w][\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[[:xdigit:]]{32,})?$`)
})

// SetDefaults_Pod.
func completePod(n manifest.Node) {
	set(n, "spec", "object")
	spec := n.At("spec")
	if spec.Type() != manifest.Map {
		return
	}
	for _, list := range []string{"containers", "initContainers"} {
		for c := range items(spec.At(list)) {
			completeRequests(c.At("resources"))
			if !spec.At("hostNetwork").Valid() || !spec.At("hostNetwork").Boolean() {
				continue
			}
			for p := range items(c.At("ports")) {
				if f, ok := p.Field("hostPort"); ok && f.Integer() == 0 {
					p.DropField(f)
				}
				if port, ok := p.Field("containerPort"); ok && !p.At("hostPort").Valid() {
					p.AddDefault("hostPort", port)
				}
			}
		}
	}
	set(spec, "enableServiceLinks", "true")
}

func completeRequests(resources manifest.Node) {
	if !resources.Valid() || resources.Type() != manifest.Map {
		return
	}
	limits := resources.At("limits")
	if !limits.Valid() || limits.Type() != manifest.Map {
		return
	}
	requests, ok := resources.Field("requests")
	if !ok {
		resources.AddDefault("requests", limits)
		return
	}
	for l := range limits.Children() {
		if _, ok := requests.Field(l.Key()); !ok && requests.Type() == manifest.Map {
			requests.AddDefault(l.Key(), l)
		}
	}
}

// SetDefaults_PodSpec: serviceAccount is another name of serviceAccountName.
func completePodSpec(n manifest.Node) {
	account, alias := n.At("serviceAccountName"), n.At("serviceAccount")
	switch {
	case account.Valid() && account.Text() != "" && !alias.Valid():
		n.AddDefault("serviceAccount", account)
	case account.Valid() && account.Text() != "":
		alias.ReplaceByDefault(account)
	case alias.Valid() && alias.Text() != "":
		n.AddDefault("serviceAccountName", alias)
	}
}

// SetDefaults_Volume.
func completeVolume(n manifest.Node) {
	if n.Len() == 1 && n.At("name").Valid() {
		set(n, "emptyDir", "object")
	}
	if image := n.At("image"); image.Valid() && image.Type() == manifest.Map {
		set(image, "pullPolicy", pullPolicy(image.TextAt("reference")))
	}
}

// SetDefaults_Service.
func completeServicePort(n manifest.Node) {
	if target, ok := n.Field("targetPort"); ok && isZero(target) {
		n.DropField(target)
	}
	if port, ok := n.Field("port"); ok && !n.At("targetPort").Valid() {
		n.AddDefault("targetPort", port)
	}
}

// SetDefaults_Service.
func completeService(n manifest.Node) {
	config, hasConfig := n.Field("sessionAffinityConfig")
	switch seconds := config; {
	case !hasConfig:
	case n.TextAt("sessionAffinity") != "ClientIP":
		n.DropField(config)
	default:
		if seconds = config.At("clientIP", "timeoutSeconds"); !seconds.Valid() {
			config.ReplaceByDefault(values.At("affinity"))
		}
	}
	if ips := n.At("externalIPs"); ips.Valid() && ips.Len() > 0 && (n.TextAt("type") == "" || n.TextAt("type") == "ClusterIP") {
		set(n, "externalTrafficPolicy", "Cluster")
	}
}

// SetDefaults_LimitRangeItem.
func completeLimits(n manifest.Node) {
	if n.TextAt("type") != "Container" {
		return
	}
	copyMissing(n, "max", "default")
	copyMissing(n, "default", "defaultRequest")
	copyMissing(n, "min", "defaultRequest")
}

// copyMissing copies the values of a map that another one lacks.
func copyMissing(n manifest.Node, from, to string) {
	source, ok := n.Field(from)
	if !ok || source.Type() != manifest.Map || source.Len() == 0 {
		return
	}
	target, ok := n.Field(to)
	if !ok {
		target = n.AddDefault(to, values.At("object"))
	}
	for f := range source.Children() {
		if _, ok := target.Field(f.Key()); !ok {
			target.AddDefault(f.Key(), f)
		}
	}
}

// completeStatefulSet gives the claims their kind (Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec).
func completeStatefulSet(n manifest.Node) {
	for claim := range items(n.At("volumeClaimTemplates")) {
		set(claim, "apiVersion", "v1")
		set(claim, "kind", "PersistentVolumeClaim")
	}
}

// completeDaemonSet adds the annotation with the generation of the template (Convert_apps_DaemonSet_To_v1_DaemonSet).
func completeDaemonSet(n manifest.Node) {
	meta := n.At("metadata")
	if !meta.Valid() || meta.Type() != manifest.Map {
		return
	}
	annotations, ok := meta.Field("annotations")
	if !ok {
		annotations = meta.AddDefault("annotations", values.At("object"))
	}
	set(annotations, "deprecated.daemonset.template.generation", "1-text")
}

// SetDefaults_HorizontalPodAutoscalerBehavior.
func completeBehavior(n manifest.Node) {
	for _, set := range [...]struct{ field, value string }{{"scaleUp", "up"}, {"scaleDown", "down"}} {
		rules, ok := n.Field(set.field)
		if !ok {
			n.AddDefault(set.field, values.At(set.value))
			continue
		}
		for f := range values.At(set.value).Children() {
			if _, ok := rules.Field(f.Key()); !ok {
				rules.AddDefault(f.Key(), f)
			}
		}
	}
}

// SetDefaults_Namespace.
func completeNamespace(n manifest.Node) {
	meta := n.At("metadata")
	name := meta.TextAt("name")
	if name == "" {
		return
	}
	labels, ok := meta.Field("labels")
	if !ok {
		labels = meta.AddDefault("labels", values.At("object"))
	}
	if label, ok := labels.Field("kubernetes.io/metadata.name"); ok {
		labels.DropField(label)
	}
	labels.AddText("kubernetes.io/metadata.name", name)
}

// SetDefaults_ReplicationController.
func completeReplicationController(n manifest.Node) {
	labels := n.At("spec", "template", "metadata", "labels")
	if !labels.Valid() || labels.Len() == 0 {
		return
	}
	if spec := n.At("spec"); !spec.At("selector").Valid() {
		spec.AddDefault("selector", labels)
	}
	completeLabels(n, labels)
}

// completeLabels gives an object the labels of its pods if it has none.
func completeLabels(n, labels manifest.Node) {
	meta := n.At("metadata")
	if !meta.Valid() || !labels.Valid() || meta.At("labels").Valid() && meta.At("labels").Len() > 0 {
		return
	}
	if empty, ok := meta.Field("labels"); ok {
		meta.DropField(empty)
	}
	meta.AddDefault("labels", labels)
}

// completeSecret moves the strings of stringData to data (pkg/apis/core/v1, Convert_v1_Secret_To_core_Secret).
func completeSecret(n manifest.Node) {
	texts, ok := n.Field("stringData")
	if !ok {
		return
	}
	data, ok := n.Field("data")
	if !ok {
		data = n.AddDefault("data", values.At("object"))
	}
	for f := range texts.Children() {
		if old, ok := data.Field(f.Key()); ok {
			data.DropField(old)
		}
		data.AddText(f.Key(), encode(f.Text()))
	}
	n.DropField(texts)
}

// SetDefaults_StatefulSet.
func completeStatefulSetStrategy(n manifest.Node) {
	if !n.At("type").Valid() {
		set(n, "type", "RollingUpdate")
		set(n, "rollingUpdate", "object")
	}
}

// SetDefaults_Job. The template of a CronJob has no defaults of its own.
func completeJob(n manifest.Node) {
	completeLabels(n, n.At("spec", "template", "metadata", "labels"))
	if n = n.At("spec"); !n.Valid() || n.Type() != manifest.Map {
		return
	}
	set(n, "completionMode", "NonIndexed")
	set(n, "suspend", "false")
	set(n, "manualSelector", "false")
	if !n.At("completions").Valid() && !n.At("parallelism").Valid() {
		set(n, "completions", "1")
	}
	set(n, "parallelism", "1")
	if n.At("backoffLimitPerIndex").Valid() {
		set(n, "backoffLimit", "most")
	}
	set(n, "backoffLimit", "6")
	if n.At("podFailurePolicy").Valid() {
		set(n, "podReplacementPolicy", "Failed")
	}
	set(n, "podReplacementPolicy", "TerminatingOrFailed")
}

// SetDefaults_NetworkPolicy.
func completeNetworkPolicy(n manifest.Node) {
	if egress := n.At("egress"); egress.Valid() && egress.Len() > 0 {
		set(n, "policyTypes", "both")
	}
	set(n, "policyTypes", "ingress")
}

// items returns the items of a list that are objects.
func items(n manifest.Node) func(func(manifest.Node) bool) {
	return func(yield func(manifest.Node) bool) {
		if !n.Valid() || n.Type() != manifest.List {
			return
		}
		for item := n.First(); item.Valid(); item = item.Next() {
			if item.Type() == manifest.Map && !yield(item) {
				return
			}
		}
	}
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
