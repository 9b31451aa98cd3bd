package upstream

import (
	"cmp"
	"fmt"
	"strings"
)

// Facts are what a version says about its API versions and feature gates, as texts by their names.
type Facts struct {
	Kinds      map[string]string // by group/version and kind: whether servers enable it by default
	Lifecycles map[string]string // by group/version and kind: when it came, is deprecated and goes
	Gates      map[string]string // by name: the stage, and the default
}

// ReadFacts reads the facts about a version.
func ReadFacts(m Modules) (Facts, error) {
	facts := Facts{map[string]string{}, map[string]string{}, map[string]string{}}
	kinds, err := readKinds(m)
	if err != nil {
		return facts, err
	}
	for _, k := range kinds {
		facts.Kinds[kindName(k.group, k.version, k.name)] = onOrOff(k.isEnabled)
	}
	lifecycles, err := readLifecycles(m)
	if err != nil {
		return facts, err
	}
	for _, l := range lifecycles {
		facts.Lifecycles[kindName(l.group, l.version, l.kind)] = l.String()
	}
	gates, err := readGates(m)
	for name, g := range gates {
		facts.Gates[name] = cmp.Or(strings.ToLower(g.stage), "unknown stage") + ", " + onOrOff(g.isOn)
	}
	return facts, err
}

func (l lifecycle) String() string {
	var parts []string
	for _, p := range []struct {
		word  string
		minor int
	}{{"introduced in", l.introduced}, {"deprecated in", l.deprecated}, {"removed in", l.removed}} {
		if p.minor > 0 {
			parts = append(parts, fmt.Sprintf("%s 1.%d", p.word, p.minor))
		}
	}
	if l.replacement != "" {
		parts = append(parts, "replaced by "+l.replacement)
	}
	return strings.Join(parts, ", ")
}

// kindName returns a name such as "apps/v1 Deployment".
func kindName(group, version, kind string) string {
	return strings.TrimPrefix(group+"/"+version, "/") + " " + kind
}

func onOrOff(isOn bool) string {
	if isOn {
		return "on"
	}
	return "off"
}
