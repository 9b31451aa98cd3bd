package upstream

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
)

// fieldGates are the gates of fields that have no +featureGate comment. The server drops the field while its gate is
// off. Gates that are on in all supported versions are left out.
var fieldGates = map[[2]string]string{
	// pkg/api/pod/util.go, dropDisabledFields
	{"core.v1.PodSpec", "hostUsers"}:               "UserNamespacesSupport",
	{"core.v1.Lifecycle", "stopSignal"}:            "ContainerStopSignals",
	{"core.v1.LifecycleHandler", "sleep"}:          "PodLifecycleSleepAction",
	{"core.v1.VolumeMount", "recursiveReadOnly"}:   "RecursiveReadOnlyMounts",
	{"core.v1.Container", "resizePolicy"}:          "InPlacePodVerticalScaling",
	{"core.v1.EphemeralContainer", "resizePolicy"}: "InPlacePodVerticalScaling",
	// dropDisabledProcMountField
	{"core.v1.SecurityContext", "procMount"}: "ProcMountType",
	// dropDisabledMatchLabelKeysFieldInPodAffinity
	{"core.v1.PodAffinityTerm", "matchLabelKeys"}:    "MatchLabelKeysInPodAffinity",
	{"core.v1.PodAffinityTerm", "mismatchLabelKeys"}: "MatchLabelKeysInPodAffinity",
	// dropDisabledDynamicResourceAllocationFields
	{"core.v1.PodSpec", "resourceClaims"}:      "DynamicResourceAllocation",
	{"core.v1.ResourceRequirements", "claims"}: "DynamicResourceAllocation",
	// dropImageVolumes
	{"core.v1.Volume", "image"}: "ImageVolume",
	// dropDisabledClusterTrustBundleProjection, dropDisabledPodCertificateProjection
	{"core.v1.VolumeProjection", "clusterTrustBundle"}: "ClusterTrustBundleProjection",
	{"core.v1.VolumeProjection", "podCertificate"}:     "PodCertificateRequest",
	// pkg/api/persistentvolume/util.go and pkg/api/persistentvolumeclaim/util.go, DropDisabledFields
	{"core.v1.PersistentVolumeSpec", "volumeAttributesClassName"}:      "VolumeAttributesClass",
	{"core.v1.PersistentVolumeClaimSpec", "volumeAttributesClassName"}: "VolumeAttributesClass",
	// pkg/registry/batch/job/strategy.go, PrepareForCreate
	{"batch.v1.JobSpec", "managedBy"}:     "JobManagedBy",
	{"batch.v1.JobSpec", "successPolicy"}: "JobSuccessPolicy",
	// pkg/registry/core/service/strategy.go, dropServiceDisabledFields
	{"core.v1.ServiceSpec", "trafficDistribution"}: "ServiceTrafficDistribution",
}

// correctGates are names in comments that differ from the gate; "" is a gate that is on before the first supported
// version.
var correctGates = map[string]string{
	"PodCertificateProjection": "PodCertificateRequest",
	"CSIStorageCapacity":       "",
}

// gate is a feature gate in a version.
type gate struct {
	isOn  bool // by default
	stage string
}

// readGates returns the feature gates of a version.
func readGates(m Modules) (map[string]gate, error) {
	names, err := filepath.Glob(filepath.Join(m.Kubernetes, "pkg/features/*kube_features.go"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no files in pkg/features: %v", err)
	}
	gates := map[string]gate{}
	for _, name := range names {
		f, err := parseGo(name)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				if err := f.addGates(gates, spec, m.Minor); err != nil {
					return nil, err
				}
			}
		}
	}
	return gates, nil
}

// addGates adds the gates of a variable, if it is a map of them, as they are in a minor version.
func (f goFile) addGates(gates map[string]gate, spec ast.Spec, minor int) error {
	values, ok := spec.(*ast.ValueSpec)
	if !ok || len(values.Values) != 1 {
		return nil
	}
	list, ok := values.Values[0].(*ast.CompositeLit)
	if !ok || !isGateMap(list.Type) {
		return nil
	}
	for _, e := range list.Elts {
		pair := e.(*ast.KeyValueExpr)
		name := ""
		switch key := pair.Key.(type) {
		case *ast.Ident:
			name = key.Name
		case *ast.SelectorExpr:
			name = key.Sel.Name
		}
		spec, err := f.value(pair.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		of, err := newestSpec(spec, minor)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		stage, _ := of["PreRelease"].(constant)
		gates[name] = gate{of["Default"] == true, stage.name}
	}
	return nil
}

// newestSpec returns the state of a gate in a release, from its only state or from a list with the oldest first. None is
// newer than the release, but a state may need that all servers of a cluster have a minimum version: by default, a server
// is compatible with the minor version before its own (k8s.io/component-base/featuregate, NewVersionedFeatureGate).
func newestSpec(spec any, minor int) (map[string]any, error) {
	history, ok := spec.([]any)
	if !ok {
		return spec.(map[string]any), nil
	}
	var newest map[string]any
	for _, state := range history {
		of := state.(map[string]any)
		compatible := 0
		if v, ok := of["MinCompatibilityVersion"].(string); ok {
			if _, err := fmt.Sscanf(v, "1.%d", &compatible); err != nil {
				return nil, fmt.Errorf("version %q: %w", v, err)
			}
		}
		if compatible < minor {
			newest = of
		}
	}
	return newest, nil
}

// isGateMap reports whether a type is map[featuregate.Feature]featuregate.FeatureSpec, or VersionedSpecs instead.
func isGateMap(e ast.Expr) bool {
	m, ok := e.(*ast.MapType)
	if !ok {
		return false
	}
	value, ok := m.Value.(*ast.SelectorExpr)
	return ok && (value.Sel.Name == "FeatureSpec" || value.Sel.Name == "VersionedSpecs")
}

// gateLife has the first minor versions in which a feature gate is beta, stable (or deprecated), and on by default.
type gateLife struct{ beta, stable, on int }

// mergeGates returns the gates of all versions. A gate that a version no longer has keeps its last default: upstream
// removes gates that are locked.
func mergeGates(versions []version) map[string]gateLife {
	merged := map[string]gateLife{}
	for _, v := range versions {
		for name, g := range v.gates {
			l, ok := merged[name]
			if !ok {
				l = gateLife{never, never, never}
			}
			isStable := g.stage == "GA" || g.stage == "Deprecated"
			l.beta = firstIn(l.beta, v.minor, isStable || g.stage == "Beta")
			l.stable = firstIn(l.stable, v.minor, isStable)
			l.on = firstIn(l.on, v.minor, g.isOn)
			merged[name] = l
		}
	}
	return merged
}

// never is the version of what no supported version has.
const never = 1 << 30

// firstIn returns the first version of a range that goes on if is is set, and ends otherwise.
func firstIn(first, minor int, is bool) int {
	switch {
	case !is:
		return never
	case first == never:
		return minor
	}
	return first
}

// setGates sets the gate of each field that is off in a version that has the field. first is the oldest version.
func setGates(types map[string]*object, first int, lives map[string]gateLife, fieldGates map[[2]string]string) error {
	for typeName, o := range types {
		for field, p := range o.properties {
			gates := correct(p.gates)
			if gate, ok := fieldGates[[2]string{typeName, field}]; ok {
				gates = []string{gate}
			}
			exists := max(p.since, first)
			for _, gate := range gates {
				l, ok := lives[gate]
				if !ok {
					return fmt.Errorf("%s: %s: unknown feature gate %s", typeName, field, gate)
				}
				if l.on > exists {
					p.gate, exists = gate, l.on
				}
			}
		}
	}
	return checkFieldGates(types, fieldGates)
}

// correct returns the gates that names in comments stand for.
func correct(names []string) []string {
	var gates []string
	for _, name := range names {
		if gate, ok := correctGates[name]; ok {
			name = gate
		}
		if name != "" {
			gates = append(gates, name)
		}
	}
	return gates
}

// checkFieldGates reports a line of fieldGates that has no effect.
func checkFieldGates(types map[string]*object, fieldGates map[[2]string]string) error {
	for key, gate := range fieldGates {
		o := types[key[0]]
		if o == nil || o.properties[key[1]] == nil || o.properties[key[1]].gate != gate {
			return fmt.Errorf("%s.%s does not need the feature gate %s", key[0], key[1], gate)
		}
	}
	return nil
}

func writeGates(gates map[string]gateLife) []byte {
	var out bytes.Buffer
	out.WriteString(licence)
	out.WriteString("# feature gate, first minor versions in which it is on by default, beta and stable\n")
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		g := gates[name]
		writeLine(&out, name, first(g.on), first(g.beta), first(g.stable))
	}
	return out.Bytes()
}

// first returns a version, "" for never.
func first(m int) string {
	if m == never {
		return ""
	}
	return minor(m)
}
