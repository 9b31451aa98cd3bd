package formats

import (
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// isWebhookURL reports whether an API server calls a webhook at this URL (k8s.io/apiserver,
// pkg/util/webhook.ValidateWebhookURL).
func isWebhookURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && u.Fragment == "" && u.RawQuery == ""
}

// isWebhookPath reports whether a webhook may have this path in a Service (k8s.io/apiserver,
// pkg/util/webhook.ValidateWebhookService).
func isWebhookPath(text string) bool {
	if text == "" || text == "/" {
		return true
	}
	rest, ok := strings.CutPrefix(text, "/")
	if !ok || text == "//" {
		return false
	}
	for step := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
		if CheckSubdomain(step) != nil {
			return false
		}
	}
	return true
}

// isWebhookName reports whether a text has at least three labels (k8s.io/apimachinery,
// util/validation.IsFullyQualifiedName).
func isWebhookName(text string) bool {
	return len(validation.IsFullyQualifiedName(field.NewPath(""), text)) == 0
}

// isGroupVersion reports whether a text is the API version of a custom resource (k8s.io/kubernetes,
// pkg/apis/admissionregistration/validation.validateParamKind).
func isGroupVersion(text string) bool {
	group, version, found := strings.Cut(text, "/")
	if !found {
		group, version = "", text
	}
	return (group == "" || CheckSubdomain(group) == nil) && CheckDNS1035Label(version) == nil
}

// celReserved are the words that are not names in CEL (k8s.io/kubernetes,
// pkg/apis/admissionregistration/validation.celReserved).
var celReserved = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
	"loop", "package", "namespace", "return", "var", "void", "while",
}

// isCELIdentifier reports whether a variable of an expression can have this name.
func isCELIdentifier(text string) bool {
	return text != "" && !isDigit(text[0]) && !slices.Contains(celReserved, text) &&
		!strings.ContainsFunc(text, isNoWordRune)
}
