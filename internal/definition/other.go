package definition

import (
	"crypto/x509"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
)

const approvalAnnotation = "api-approved.kubernetes.io"

// approval requires that kinds in the Kubernetes project's own groups say who has approved them, unless they were
// installed without a valid approval (apiextensions-apiserver, validation.validateAPIApproval).
func (c *checker) approval() {
	group := "." + at(c.root, "spec").TextAt("group")
	if !strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, ".kubernetes.io") {
		return
	}
	f := at(c.root, "metadata", "annotations", approvalAnnotation)
	state := approvalOf(f)
	before := at(c.old, "metadata", "annotations", approvalAnnotation)
	if state == approved || c.old.Valid() && state == approvalOf(before) {
		return
	}
	const help = "set it to the URL of the approval or to a reason that starts with unapproved, or use another group"
	if state == notApproved {
		group := at(c.root, "spec", "group")
		c.add(group, diag.Violation{
			Rule:    diag.MissingField,
			Message: "a kind in API group " + group.Text() + " requires the annotation " + approvalAnnotation, Help: help,
			Path: diag.Fields("metadata", "annotations", approvalAnnotation),
		})
		return
	}
	c.add(f,
		diag.Violation{Rule: diag.BadFormat, Message: diag.Quote(f.Text()) + " is not the URL of an approval", Help: help})
}

// These are what an annotation says about the approval of a kind.
const (
	notApproved = iota
	badlyApproved
	approved // or openly unapproved
)

// approvalOf returns what the annotation says (apiextensions-apiserver, apihelpers.GetAPIApprovalState).
func approvalOf(annotation manifest.Node) int {
	if !annotation.Valid() || annotation.Text() == "" {
		return notApproved
	}
	address, err := url.ParseRequestURI(annotation.Text())
	if !strings.HasPrefix(annotation.Text(), "unapproved") && (err != nil || address.Host == "" || address.Scheme == "") {
		return badlyApproved
	}
	return approved
}

// webhook checks what the schema of a conversion webhook does not state (k8s.io/apiserver, webhook.ValidateWebhookURL,
// ValidateWebhookService).
func (c *checker) webhook(config, old manifest.Node) {
	if !config.Valid() || config.Type() != manifest.Map {
		return
	}
	if f := at(config, "url"); f.Valid() && f.Type() == manifest.String {
		if fault := addressFault(f.Text()); fault != "" {
			c.add(f, diag.Violation{Rule: diag.BadFormat, Message: "the url " + fault, Help: "use the form https://host/path"})
		}
	}
	if f := at(config, "service", "path"); f.Valid() && f.Type() == manifest.String {
		for step := range strings.SplitSeq(f.Text(), "/") {
			if len(step) > longestStep {
				c.add(f, diag.Violation{
					Rule: diag.BadLength, Message: "a path segment must have at most " + strconv.Itoa(longestStep) + " characters",
				})
			}
		}
	}
	c.bundle(config, old)
}

// bundle checks the certificates of a webhook. A server accepts any base64 until it serves the kind, and then requires
// a certificate unless the old bundle has none either (apiextensions-apiserver, validation.allowInvalidCABundle).
func (c *checker) bundle(config, old manifest.Node) {
	f := at(config, "caBundle")
	if !f.Valid() || f.Type() != manifest.String || f.Text() == "" {
		return
	}
	pem, err := base64.StdEncoding.DecodeString(f.Text())
	switch {
	case err != nil:
		c.add(f, diag.Violation{
			Rule: diag.BadFormat, Message: "the caBundle is not valid base64", Help: "encode the PEM text as base64",
		})
	case c.old.Valid() && c.has(checksBundles) && !hasCertificate(pem) && !hasBadBundle(old):
		c.add(f, diag.Violation{
			Rule: diag.BadFormat, Message: "the caBundle has no valid certificate", Help: "set one in PEM, or remove the caBundle",
		})
	}
}

func hasBadBundle(config manifest.Node) bool {
	if !config.Valid() || config.Type() != manifest.Map {
		return false
	}
	pem, err := base64.StdEncoding.DecodeString(config.TextAt("caBundle"))
	return err == nil && len(pem) > 0 && !hasCertificate(pem)
}

func hasCertificate(pem []byte) bool { return x509.NewCertPool().AppendCertsFromPEM(pem) }

// longestStep is the maximum number of characters of a step of a path, which is a subdomain.
const longestStep = 253

func addressFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "is not a valid URL"
	case u.Scheme != "https":
		return "must start with https://"
	case u.Host == "":
		return "has no host"
	case u.User != nil || u.Fragment != "" || u.RawQuery != "":
		return "must not have a user, query or fragment"
	}
	return ""
}

// longestWarning is the maximum number of bytes of a deprecation warning (apiextensions-apiserver,
// pkg/apis/apiextensions/validation.validateDeprecationWarning).
const longestWarning = 256

func (c *checker) deprecation(version manifest.Node) {
	// A text within the limit in characters may exceed it in bytes.
	if f := at(version, "deprecationWarning"); f.Valid() && len(f.Text()) > longestWarning &&
		len([]rune(f.Text())) <= longestWarning {
		c.add(f, diag.Violation{
			Rule:    diag.BadLength,
			Message: "must have at most " + strconv.Itoa(longestWarning) + " bytes, got " + strconv.Itoa(len(f.Text())),
		})
	}
}

// selectableFields requires that each selectable field leads to a different string, integer or boolean outside
// metadata (validation.ValidateCustomResourceSelectableFields). old are those of the installed CRD. s is nil if the schema
// cannot be used.
func (c *checker) selectableFields(list, old manifest.Node, s *schema.Schema) {
	seen := map[string]bool{}
	for item := range list.Children() {
		f := at(item, "jsonPath")
		switch {
		case item.Type() != manifest.Map:
			continue
		case !f.Valid():
			c.missing(item, "jsonPath", "jsonPath is missing")
			continue
		case f.Text() == "":
			c.add(f, diag.Violation{Rule: diag.BadLength, Message: "the jsonPath is empty"})
			continue
		}
		path := f.Text()
		if seen[path] {
			c.add(f, diag.Violation{Rule: diag.DuplicateItem, Message: diag.Quote(path) + " is listed twice"})
		}
		seen[path] = true
		if s == nil {
			continue
		}
		found, fault := follow(path, s, false)
		switch {
		case fault != "":
			c.add(f, diag.Violation{
				Rule: diag.BadFormat, Message: "not the path of a field: " + fault, Help: "use a path such as .spec.color",
			})
		case path == ".metadata" || strings.HasPrefix(path, ".metadata."):
			c.add(f, diag.Violation{Rule: diag.NotStructural, Message: "metadata fields cannot be selectable"})
		case found == nil || !slices.Contains([]string{"string", "boolean", "integer"}, found.Type):
			c.add(f, diag.Violation{Rule: diag.NotStructural, Message: "must be the path of a string, boolean or integer"})
		}
	}
	isKept := c.has(keepsSelectableFields) && old.Valid() && old.Len() > mostSelectable && manifest.Equal(list, old)
	if len(seen) > mostSelectable && !isKept {
		c.add(list, diag.Violation{
			Rule: diag.BadLength, Message: "must have at most " + strconv.Itoa(mostSelectable) + " items, got " + strconv.Itoa(len(seen)),
		})
	}
}

// mostSelectable is the maximum number of selectable fields (validation.MaxSelectableFields).
const mostSelectable = 8
