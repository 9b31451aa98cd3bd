package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/nearest"
)

// Server is an API server of Kubernetes: its minor version, and the feature gates and API versions that its flags
// --feature-gates and --runtime-config set. The zero value is the newest version with the defaults. It is comparable.
type Server struct {
	Minor       int // 0 is the newest version
	gates, apis switches
}

// switches turn things on and off. The text has a part such as ",NAME=true" for each of them, sorted by their names, so that
// equal switches are equal texts.
type switches string

// With returns the server with feature gates and APIs that differ from the defaults. An API is a group and version such as
// resource.k8s.io/v1beta1, also with a plural, or one of api/all, api/ga, api/beta and api/alpha.
func (s Server) With(gates, apis map[string]bool) Server {
	s.gates, s.apis = switchesOf(gates), switchesOf(apis)
	return s
}

func switchesOf(all map[string]bool) switches {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, ",%s=%t", name, all[name])
	}
	return switches(text.String())
}

// find reports whether something is set, and whether it is on.
func (s switches) find(name string) (on, isSet bool) {
	_, after, ok := strings.Cut(string(s), ","+name+"=")
	return strings.HasPrefix(after, "true"), ok
}

// HasDefaults reports whether the server has the feature gates and API versions that are on by default.
func (s Server) HasDefaults() bool { return s == Server{Minor: s.Minor} }

func (s Server) minor() int { return cmp.Or(s.Minor, NewestKubernetes) }

// Sets reports whether a flag of the server turns a feature gate on or off.
func (s Server) Sets(gate string) bool {
	_, isSet := s.gates.find(gate)
	return isSet
}

// IsOff reports whether a feature gate is off. An unknown gate is on: it was locked before the oldest version.
func (s Server) IsOff(gate string) bool {
	g, ok := featureGates()[gate]
	if on, isSet := s.gates.find(gate); isSet {
		return !on
	}
	if !ok {
		return false
	}
	all := allAlpha
	switch minor := s.minor(); {
	case reached(g.stable, minor):
		all = ""
	case reached(g.beta, minor):
		all = allBeta
	}
	if on, isSet := s.gates.find(all); isSet {
		return !on
	}
	return !reached(g.on, s.minor())
}

// These gates set all gates of a stage that are not set by themselves.
const allAlpha, allBeta = "AllAlpha", "AllBeta"

// reached reports whether a version is at least the first one of something; 0 is never.
func reached(first, minor int) bool { return first != 0 && first <= minor }

// CEL returns what decides which functions the CEL expressions of the server may use.
func (s Server) CEL() cel.Server { return cel.Server{Minor: s.minor(), IsOff: s.IsOff} }

// serves reports whether the server has a version of a kind, given its group and version, its plural, and whether it is on
// by default (k8s.io/apiserver/pkg/server/resourceconfig, MergeAPIResourceConfigs).
func (s Server) serves(apiVersion, plural string, isDefault bool) bool {
	if s.apis == "" {
		return isDefault
	}
	_, version, _ := cutLast("/"+apiVersion, "/")
	stage := "api/ga"
	switch {
	case strings.Contains(version, "alpha"):
		stage = "api/alpha"
	case strings.Contains(version, "beta"):
		stage = "api/beta"
	}
	for _, name := range []string{apiVersion + "/" + plural, apiVersion, stage, "api/all"} {
		if on, isSet := s.apis.find(name); isSet {
			return on
		}
	}
	return isDefault
}

// featureGate has the first minor versions in which a feature gate is on by default, beta and stable; 0 is never.
type featureGate struct{ on, beta, stable int }

// featureGates reads gates.tsv, which has a line for each gate.
var featureGates = sync.OnceValue(func() map[string]featureGate {
	all := map[string]featureGate{}
	for line := range strings.Lines(kubernetesFile("gates.tsv")) {
		if line[0] != '#' {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			all[f[0]] = featureGate{minorIn(f[1]), minorIn(f[2]), minorIn(f[3])}
		}
	}
	return all
})

// NearestGate returns the known feature gate that is closest to a name. Servers have gates that do not matter here, so a
// name without a close one may be right.
func NearestGate(name string) (near string, ok bool) {
	if _, isKnown := featureGates()[name]; isKnown || name == allAlpha || name == allBeta {
		return "", false
	}
	return nearest.Name(name, gateNames())
}

var gateNames = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(featureGates())) })

// IsAPI reports whether an API server of a supported version of Kubernetes has a group and version, also with a plural, or
// whether the name stands for several of them.
func IsAPI(name string) bool { return apiNames()[name] }

var apiNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{"api/all": true, "api/ga": true, "api/beta": true, "api/alpha": true}
	for id, f := range kubernetesLines("kinds.tsv") {
		names[id.apiVersion()], names[id.apiVersion()+"/"+f[1]] = true, true
	}
	return names
})
