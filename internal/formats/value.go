package formats

import (
	"encoding/json"
	"strconv"
)

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// isJSONObject reports whether a text is the configuration of a container registry to the server. It may be null
// (k8s.io/kubernetes, pkg/apis/core/validation.ValidateSecret).
func isJSONObject(text []byte) bool {
	var object map[string]any
	return json.Unmarshal(text, &object) == nil
}
