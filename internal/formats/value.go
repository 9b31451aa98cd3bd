package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
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

// isWildcardHost reports whether a text is a hostname, with or without a wildcard as the first label
// (k8s.io/kubernetes, pkg/apis/networking/validation.validateIngressRules).
func isWildcardHost(text string) bool {
	if strings.Contains(text, "*") {
		return len(validation.IsWildcardDNS1123Subdomain(text)) == 0
	}
	return isSubdomain(text) == nil
}

func isDomainPath(text string) bool {
	return len(validation.IsDomainPrefixedPath(field.NewPath("path"), text)) == 0
}
