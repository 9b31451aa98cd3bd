package manifest

import "sigs.k8s.io/yaml"

// YAMLOfJSON converts JSON to YAML. The keys of each object are in alphabetical order.
func YAMLOfJSON(text []byte) (string, error) {
	b, err := yaml.JSONToYAML(text)
	return string(b), err
}
