package manifest

import "sigs.k8s.io/yaml"

// YAMLOfJSON returns JSON as YAML, with the keys of each object in alphabetical order.
func YAMLOfJSON(text []byte) (string, error) {
	b, err := yaml.JSONToYAML(text)
	return string(b), err
}
