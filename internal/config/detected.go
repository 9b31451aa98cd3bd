package config

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Detected holds the properties of a repository that belong in a configuration file for it. The zero value holds
// nothing.
type Detected struct {
	// Groups are the groups of built-in kinds that have other names in the repository, sorted.
	Groups []DetectedGroup
	// Kinds are the built-in kinds that have other names in the repository, sorted.
	Kinds []DetectedName
	// Schemas are files and directories with CRDs, sorted. They are relative to the configuration file and use
	// slashes.
	Schemas []string
	// Redefined is a kind that several of Schemas define, or "" if there is none.
	Redefined string
	// FeatureGates and APIs are those that the API server of a cluster of the repository turns on or off.
	FeatureGates, APIs map[string]bool
}

// MostDetected is the maximum number of gates and of APIs that are detected. Clusters set a few.
const MostDetected = 100

// DetectedName is a built-in name and the name that the repository uses instead.
type DetectedName struct{ BuiltIn, Own string }

// DetectedGroup is a group, and the built-in kinds that the repository has in it, under their built-in names.
type DetectedGroup struct {
	DetectedName
	Kinds []string
}

// These are the examples in [Start] that detected settings replace.
const (
	schemasExample = "# schemas: [crds]\n"
	namesExample   = "# names:\n#   groups:\n#     elbv2.platform.cloud: elbv2.k8s.example\n"
)

// Text returns a configuration file to start from that includes the detected settings.
func (d *Detected) Text() string {
	text := Start
	if len(d.Schemas) > 0 {
		text = strings.Replace(text, schemasExample, d.schemas(), 1)
	}
	if len(d.Groups) > 0 {
		text = strings.Replace(text, namesExample, d.names(), 1)
	}
	return text + d.server()
}

// server returns the settings of the API server.
func (d *Detected) server() string {
	var b strings.Builder
	for _, of := range []struct {
		key      string
		switches map[string]bool
	}{{featureGates, d.FeatureGates}, {apis, d.APIs}} {
		if len(of.switches) == 0 {
			continue
		}
		b.WriteString("\n# Found in the configuration of a cluster.\n" + of.key + ":\n")
		for _, name := range slices.Sorted(maps.Keys(of.switches)) {
			b.WriteString("  " + scalar(name) + ": " + strconv.FormatBool(of.switches[name]) + "\n")
		}
	}
	return b.String()
}

func (d *Detected) schemas() string {
	var b strings.Builder
	if d.Redefined != "" {
		b.WriteString("# Several of these define " + d.Redefined +
			", and the last one takes precedence. Keep those that your cluster has.\n")
	}
	b.WriteString("schemas:\n")
	for _, path := range d.Schemas {
		b.WriteString("  - " + scalar(path) + "\n")
	}
	return b.String()
}

func (d *Detected) names() string {
	var b strings.Builder
	b.WriteString("names:\n  groups:\n")
	for _, g := range d.Groups {
		b.WriteString("    # of " + strings.Join(g.Kinds, ", ") + "\n    " + g.BuiltIn + ": " + scalar(g.Own) + "\n")
	}
	if len(d.Kinds) > 0 {
		b.WriteString("  kinds:\n")
		for _, k := range d.Kinds {
			b.WriteString("    " + k.BuiltIn + ": " + scalar(k.Own) + "\n")
		}
	}
	return b.String()
}

// scalar returns a string as a YAML scalar.
func scalar(text string) string {
	isPlain := regexp.MustCompile(`^[A-Za-z][\w./-]*$`).MatchString(text)
	if isPlain && !regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n)$`).MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
