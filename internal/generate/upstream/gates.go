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

// readGates returns the feature gates of a version, and whether each is on by default.
func readGates(m Modules) (map[string]bool, error) {
	names, err := filepath.Glob(filepath.Join(m.Kubernetes, "pkg/features/*kube_features.go"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no files in pkg/features: %v", err)
	}
	gates := map[string]bool{}
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
				if err := f.addGates(gates, spec); err != nil {
					return nil, err
				}
			}
		}
	}
	return gates, nil
}

// addGates adds the gates of a variable, if it is a map of them.
func (f goFile) addGates(gates map[string]bool, spec ast.Spec) error {
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
		if history, ok := spec.([]any); ok {
			spec = last(history) // oldest version first; none is newer than the release
		}
		gates[name] = spec.(map[string]any)["Default"] == true
	}
	return nil
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

// never is the answer of onSince for a gate that is off in all versions.
const never = 1 << 30

// onSince returns the first minor version from which on a gate is on by default. A gate that a version no longer has
// keeps its last default: upstream removes gates that are locked.
func onSince(gate string, versions []version) (int, error) {
	isKnown, isOn, since := false, false, never
	for _, v := range versions {
		if now, ok := v.gates[gate]; ok {
			if now && !isOn {
				since = v.minor
			}
			isKnown, isOn = true, now
		}
	}
	switch {
	case !isKnown:
		return 0, fmt.Errorf("unknown feature gate %s", gate)
	case !isOn:
		return never, nil
	}
	return since, nil
}

// setGates sets the gate of each field, and returns the gates that fields name with the result of onSince.
func setGates(types map[string]*object, versions []version, fieldGates map[[2]string]string) (map[string]int, error) {
	used := map[string]int{}
	for typeName, o := range types {
		for field, p := range o.properties {
			gates := correct(p.gates)
			if gate, ok := fieldGates[[2]string{typeName, field}]; ok {
				gates = []string{gate}
			}
			exists := max(p.since, versions[0].minor)
			for _, gate := range gates {
				since, err := onSince(gate, versions)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", typeName, field, err)
				}
				if since > exists {
					p.gate, exists = gate, since
				}
			}
			if p.gate != "" {
				used[p.gate] = exists
			}
		}
	}
	return used, checkFieldGates(types, fieldGates)
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

func writeGates(gates map[string]int) []byte {
	var out bytes.Buffer
	out.WriteString(licence)
	out.WriteString("# feature gate, first minor version in which it is on by default\n")
	for _, gate := range slices.Sorted(maps.Keys(gates)) {
		since := gates[gate]
		if since == never {
			since = 0
		}
		writeLine(&out, gate, minor(since))
	}
	return out.Bytes()
}
