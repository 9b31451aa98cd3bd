package diag

import (
	"slices"
	"strings"
)

// Description describes a rule, for lists of rules and for report formats that contain them.
type Description struct {
	Rule Rule
	// Severity is the default severity of its findings. The configuration may change it.
	Severity Severity
	// Title says in a few words what the rule finds, in lower case and without a full stop.
	Title string
	// Help is a sentence or two about how to fix it.
	Help string
	// Why explains what happens if it is not fixed. It may be empty.
	Why string
	// Tags group rules, such as "schema" or "security".
	Tags []string
}

// Enforced reports whether an API server enforces the rule. Only the configuration may suppress errors of such a rule.
func (r Rule) Enforced() bool {
	_, ok := find(Enforced, r)
	return ok
}

// IsStructural reports whether the rule is not a lint rule.
func (r Rule) IsStructural() bool { return !strings.Contains(string(r), "/") }

// Structural returns the description of a rule that is not a lint rule. It returns false for any other rule.
func Structural(rule Rule) (Description, bool) {
	if d, ok := find(Enforced, rule); ok {
		return d, true
	}
	if d, ok := find(Bookkeeping, rule); ok {
		return d, true
	}
	return find(Settings, rule)
}

// Describe returns the description of a rule. It looks in the report, then in this package, and otherwise derives one
// from the id.
func (r *Report) Describe(rule Rule) Description {
	if d, ok := r.described(rule); ok {
		return d
	}
	return Description{
		Rule: rule, Severity: Error, Title: strings.ReplaceAll(string(rule), "-", " "),
		Help: "see the message of the finding",
	}
}

func (r *Report) described(rule Rule) (Description, bool) {
	for _, list := range [][]Description{r.Rules, Enforced, Bookkeeping, Settings} {
		if d, ok := find(list, rule); ok {
			return d, true
		}
	}
	return Description{}, false
}

// IDOf returns the id of a rule that was not evaluated. Rules of schemas have the id [CEL].
func (r *Report) IDOf(n *NotEvaluated) Rule {
	if d, ok := r.described(Rule(n.Rule)); ok {
		return d.Rule
	}
	return CEL
}

// Descriptions returns all rules that findings of this report can have: [Enforced], [Bookkeeping], [Settings] and
// [Report.Rules].
func (r *Report) Descriptions() []Description {
	return slices.Concat(Enforced, Bookkeeping, Settings, r.Rules)
}

func find(list []Description, rule Rule) (Description, bool) {
	for i := range list {
		if list[i].Rule == rule {
			return list[i], true
		}
	}
	return Description{}, false
}

// Enforced lists the rules that an API server enforces, in the order of their constants.
var Enforced = []Description{
	{Syntax, Error, "invalid YAML or JSON",
		"Fix the syntax at the marked place. The other documents of the stream are still checked.", "", schemaTags},
	{DuplicateKey, Error, "duplicate key",
		"Keep one of the two.",
		"Parsers silently keep the last one; the API server rejects both under strict field validation. In the output of a " +
			"chart it is a warning, and if a key overrides one from a merge key an info: Helm and kubectl send the last one.",
		schemaTags},
	{UnknownKind, Error, "unknown kind",
		"Use a known kind, or pass its CustomResourceDefinition with --schemas.", "", schemaTags},
	{UnknownVersion, Error, "unknown API version",
		"Use a version of the kind that is served.",
		"An API server rejects the object. If only a CRD of a known project lacks the version, it is a warning: the CRD may " +
			"be an old copy.", schemaTags},
	{UnknownGroup, Error, "unknown API group",
		"Use a known group, or pass its CustomResourceDefinitions with --schemas.", "", schemaTags},
	{MissingKind, Error, "apiVersion or kind not set",
		"Set apiVersion and kind, or exclude the file if it is not a manifest.", "", schemaTags},
	{UnknownField, Error, "unknown field",
		"Correct the name, or move the field to the object it belongs to.",
		"Without strict field validation, the API server drops the field, so it has no effect.", schemaTags},
	{MissingField, Error, "required field missing",
		"Add the field.", "", schemaTags},
	{WrongType, Error, "wrong type",
		"Use a value of the expected type. Add quotes to a number or boolean that is meant as a string.", "", schemaTags},
	{NotInEnum, Error, "value not allowed",
		"Use one of the allowed values.", "", schemaTags},
	{PatternMismatch, Error, "string does not match the pattern",
		"Use a string that matches the pattern of the schema.", "", schemaTags},
	{BadFormat, Error, "string not in the required format",
		"Use the format that the schema requires.", "", schemaTags},
	{OutOfRange, Error, "number out of range",
		"Use a number within the bounds and, if the schema has one, a multiple of its multipleOf.", "", schemaTags},
	{BadLength, Error, "string too short or too long",
		"Use a string within the bounds.", "", schemaTags},
	{BadCount, Error, "too many or too few items",
		"Add or remove items or fields.", "", schemaTags},
	{DuplicateItem, Error, "duplicate list item",
		"Keep one of the two.", "The items of such a list are identified by their value or key, so they must be unique.",
		schemaTags},
	{NoMatch, Error, "no matching alternative",
		"Change the value to satisfy anyOf, oneOf or not of the schema.", "", schemaTags},
	{BadName, Error, "invalid name",
		"Use lowercase letters, digits, hyphens and dots.", "", schemaTags},
	{BadMetadata, Error, "invalid metadata",
		"Correct the labels, annotations or references of the metadata.", "", schemaTags},
	{CEL, Error, "CEL validation rule failed",
		"Change the fields that the rule compares. The help of the finding lists them with their values.", "", schemaTags},
	{ImmutableChanged, Error, "immutable field changed",
		"Restore the old value, or create a new object.", "", schemaTags},
	{ReaderLimit, Error, "document too large or too complex",
		"Split the document, make it smaller, or check fewer files in a run.",
		"What is beyond a limit is not checked. An API server has limits for an object too.", schemaTags},
	{MissingFile, Error, "referenced file not found",
		"Create the file, or remove it from the kustomization.",
		"kustomize cannot build a kustomization that names a missing file.", schemaTags},
	{InvalidChart, Error, "invalid Helm chart",
		"Fix Chart.yaml or the values.", "Helm rejects the chart.", schemaTags},
	{InvalidKustomization, Error, "invalid kustomization",
		"Fix the field or patch that the finding names.", "'kustomize build' fails.", schemaTags},
	{TemplateError, Error, "failed Helm template",
		"Fix the template, or set the value that it requires.", "Helm cannot render the chart.", schemaTags},
	{Unsubstituted, Error, "unsubstituted variable",
		"Substitute the variable, for example with envsubst or flux envsubst, and check the output.",
		"The API server rejects the value as it is. A variable in a value that the server allows is not reported.",
		schemaTags},
	{DisabledField, Warning, "field behind a disabled feature gate",
		"Remove the field, or enable the feature gate in the cluster.",
		"The API server drops the field unless the feature gate is on, so it has no effect.", schemaTags},
	{ListForString, Warning, "list instead of a string",
		"Use a string.",
		"The schema declares a string with a format. The API server also allows a list there, and does not check its items. " +
			"The controller that reads the object fails or ignores it.", schemaTags},
	{BadValue, Error, "value rejected by the API server",
		"Change the field as the message says.",
		"The API server validates built-in kinds by code, in addition to their schemas.", schemaTags},
	{ServerWarning, Warning, "API server warning",
		"Change the field as the message says.",
		"The API server allows the object and returns a warning.", schemaTags},
	{DeprecatedVersion, Error, "removed or deprecated API version",
		"Use the version that the finding names. Fields may have other names in it.",
		"It is an error if the selected version of Kubernetes no longer serves the API version, and a warning if it is deprecated.", schemaTags},
	{NotStructural, Error, "schema of a CRD is not structural",
		"Change the schema as the message says.", "", schemaTags},
	{BadDefault, Error, "invalid default in a CRD",
		"Use a default that its own schema allows, or remove it.", "", schemaTags},
	{CostlyRule, Error, "CEL rule over the cost limit",
		"Limit the lists, maps and strings that the rule reads, with maxItems, maxProperties and maxLength, or simplify the rule.",
		"The rule could take too long on the largest object that the schema allows.", schemaTags},
	{PolicyDenied, Error, "object denied by an admission policy",
		"Change the field at the marked place, or ask the owner of the policy.",
		"The API server rejects the object if the binding denies violations. It is a warning if the binding only warns, and an info " +
			"if it only audits. See docs/policies.md.", policyTags},
	{PolicyError, Error, "admission policy that cannot be evaluated",
		"Set the field that the expression reads, or ask the owner of the policy to guard it with has().",
		"An expression of the policy fails for this object, and its failure policy makes that a rejection.", policyTags},
}

// Settings lists the rules about configurations and lint rules.
var Settings = []Description{
	{BadSetting, Error, "invalid setting",
		"Change the setting as the message says.", "", settingTags},
	{BrokenRule, Error, "invalid lint rule",
		"Change the rule as the message says.", "", settingTags},
	{StaleSchema, Warning, "old copy of a CRD",
		"Remove the copy with kindvet schemas remove: a run uses the CRDs that it checks.",
		"A run that does not check the CRD would use the copy.", settingTags},
}

// Bookkeeping lists the rules about suppressions and baselines.
var Bookkeeping = []Description{
	{SuppressionUnused, Warning, "unused suppression",
		"Remove it: the finding it suppressed is fixed or has moved.", "It would hide the next finding of its rule.",
		suppressionTags},
	{SuppressionExpired, Warning, "expired suppression",
		"Fix the finding, or set a later date.", "", suppressionTags},
	{SuppressionUnknownRule, Warning, "suppression of an unknown rule",
		"Correct the name of the rule.", "A suppression with a misspelled rule has no effect.", suppressionTags},
	{SuppressionMalformed, Warning, "malformed suppression",
		"Use kindvet:ignore[rule, ...] reason, or kindvet:ignore-file[rule, ...] reason.", "", suppressionTags},
	{SuppressionRefused, Warning, "suppression of an API server error",
		"Fix the finding: the API server rejects the object despite a comment or an annotation.", "", suppressionTags},
	{SuppressionWithoutReason, Info, "suppression without a reason",
		"Add a reason after the closing bracket.", "", suppressionTags},
	{BaselineUnmatched, Info, "unmatched baseline entry",
		"Run 'kindvet baseline prune' to remove it.", "It would hide the next finding of its rule.", suppressionTags},
	{ChartWarning, Warning, "Helm warning",
		"Change the field as the message says.",
		"'helm lint' or 'helm dependency build' rejects the chart, or Helm ignores a part of it.", schemaTags},
	{UnreadValue, Warning, "value that no template reads",
		"Correct the key, or move it to where templates read it.",
		"Helm ignores a key of values that no template reads, so that a typo has no effect. kindvet reads the templates, and " +
			"proves that the chart writes the same without the key.", schemaTags},
	{PrintedExponent, Warning, "number of values printed with an exponent",
		"Put quotes around the number in the values, or print it with int64.",
		"Helm reads each number in a file of values as a floating-point number. In a text, a template prints one from a million " +
			"on with an exponent, such as 1e+06, unless it converts the number with int64 or int.", schemaTags},
	{PolicyUnknownField, Warning, "unknown field in an admission policy",
		"Correct the name of the field.",
		"An API server evaluates expressions of admission policies without types. An expression that reads a field which no kind has " +
			"that the policy matches fails for each object, or never finds anything.", schemaTags},
	{LostItem, Warning, "item lost by kubectl apply",
		"Use kubectl apply --server-side, or change the items so that they differ in the field that the finding names.",
		"kubectl apply and Helm send an update as a patch that pairs the items of a list by one field, such as ports by their " +
			"number without the protocol. Only one of several items with the same key is kept, or none.", schemaTags},
	{TooLargeToApply, Info, "object too large for kubectl apply",
		"Use kubectl apply --server-side, or kubectl create.",
		"kubectl apply stores the JSON of the object in an annotation, and all annotations together may have 256 KiB. Flux, " +
			"and Argo CD with server-side apply, do not set the annotation.", schemaTags},
	{UnreadableExamples, Warning, "unreadable examples of an operator",
		"Write a JSON list of objects in the annotation alm-examples.",
		"The OpenShift console shows no examples for the kinds of the operator, and 'operator-sdk scorecard' and " +
			"'operator-sdk bundle validate' can fail.", schemaTags},
	{UnknownContext, Info, "deployed form not known",
		"Check the text as it is deployed: pipe the output of the tool that changes it to 'kindvet validate -'.",
		"Something that is not among the files changes the text before it is applied. The rules that depend on this are not " +
			"evaluated; --verbose lists them. See docs/context.md.", schemaTags},
	{PolicyMistake, Warning, "mistake in an admission policy",
		"Change the policy or the binding as the message says.",
		"The API server stores the policy, but it has no effect, or not the one that it is meant to have.", policyTags},
	{MissingDependency, Warning, "dependency not found",
		"For a chart, run 'helm dependency build'. For a kustomization, validate the output of 'kustomize build'.",
		"kindvet uses no network and runs no plugins, so it cannot render the chart or build the kustomization.",
		schemaTags},
}

var (
	schemaTags      = []string{"schema"}
	suppressionTags = []string{"suppression"}
	settingTags     = []string{"configuration"}
	policyTags      = []string{"policy"}
)
