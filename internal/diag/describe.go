package diag

import "strings"

// Description says what a rule is about, for lists of rules and for reports that carry them.
type Description struct {
	Rule Rule
	// Severity is what a violation of the rule has unless somebody decides otherwise.
	Severity Severity
	// Title says in a few words what the rule finds: lower case, no full stop.
	Title string
	// Help says in a sentence or two what to do.
	Help string
	// Why says what breaks when nothing is done; it may be empty.
	Why string
	// Tags are words to group rules by, such as "schema" or "security".
	Tags []string
}

// Enforced says whether the rule is one that an API server enforces: nobody but the configuration may accept an error of it.
func (r Rule) Enforced() bool {
	_, ok := find(Enforced, r)
	return ok
}

// Describe returns the description of a rule: of one that the report brings, of one of this package, or, for a rule that nobody has
// described, one made of its name.
func (r *Report) Describe(rule Rule) Description {
	for _, list := range [][]Description{r.Rules, Enforced, Bookkeeping} {
		if d, ok := find(list, rule); ok {
			return d
		}
	}
	return Description{Rule: rule, Severity: Error, Title: strings.ReplaceAll(string(rule), "-", " "), Help: "see the message of the violation"}
}

// Descriptions returns all rules that a violation of this report may be of: enforced ones, bookkeeping, and those that the report
// brings.
func (r *Report) Descriptions() []Description {
	return append(append(append([]Description{}, Enforced...), Bookkeeping...), r.Rules...)
}

func find(list []Description, rule Rule) (Description, bool) {
	for i := range list {
		if list[i].Rule == rule {
			return list[i], true
		}
	}
	return Description{}, false
}

// Enforced are the rules that an API server enforces, in the order of their constants.
var Enforced = []Description{
	{Syntax, Error, "the text is no YAML or JSON that an API server reads",
		"Mend the text at the marked place; the other documents of the stream are checked all the same.", "", schemaTags},
	{DuplicateKey, Error, "a key is set twice in one object",
		"Keep one of the two.", "Readers keep the last one without a word; the server refuses both under strict field validation.", schemaTags},
	{UnknownKind, Error, "the group has no kind of this name",
		"Write one of the known kinds, or give the kind's CustomResourceDefinition with --schemas.", "", schemaTags},
	{UnknownVersion, Error, "the kind has no version of this name",
		"Write a version that the kind serves.", "", schemaTags},
	{UnknownGroup, Error, "there is no group of this name",
		"Write a known group, or give its CustomResourceDefinitions with --schemas.", "", schemaTags},
	{MissingKind, Error, "the document does not say what it is",
		"Say apiVersion and kind; leave out files that are no manifests.", "", schemaTags},
	{UnknownField, Error, "the schema has no field of this name here",
		"Correct the name, or move the field to where it belongs.",
		"Without strict field validation the server drops the field, and what it was meant to do is not done.", schemaTags},
	{MissingField, Error, "a required field is missing",
		"Add the field.", "", schemaTags},
	{WrongType, Error, "the value is of another type than the schema wants",
		"Write a value of the wanted type; quote a number or a boolean that is meant as text.", "", schemaTags},
	{NotInEnum, Error, "the value is none of those that are allowed",
		"Write one of the allowed values.", "", schemaTags},
	{PatternMismatch, Error, "the text does not match the schema's pattern",
		"Write a text that the pattern matches.", "", schemaTags},
	{BadFormat, Error, "the text is not of the format that the schema wants",
		"Write the text in the wanted format.", "", schemaTags},
	{OutOfRange, Error, "the number is too small, too large or no multiple",
		"Write a number within the bounds.", "", schemaTags},
	{BadLength, Error, "the text is too short or too long",
		"Write a text within the bounds.", "", schemaTags},
	{BadCount, Error, "there are too few or too many items or fields",
		"Add or remove some.", "", schemaTags},
	{DuplicateItem, Error, "two items of a list are the same, or have the same key",
		"Keep one of the two.", "Items of such a list are told apart by value or key; the server could not say which of two is meant.", schemaTags},
	{NoMatch, Error, "the value fits none, or more than one, of the alternatives",
		"Make the value fit what anyOf, oneOf or not of the schema asks for.", "", schemaTags},
	{BadName, Error, "the name is not one that an API server accepts",
		"Write a name of lower case letters, digits, dashes and dots.", "", schemaTags},
	{BadMetadata, Error, "the metadata is not what an API server accepts",
		"Correct the labels, annotations or references of the metadata.", "", schemaTags},
	{CEL, Error, "a validation rule of the kind does not hold",
		"Change the fields that the rule compares; the help of the violation names them with their values.", "", schemaTags},
	{ImmutableChanged, Error, "an update changes what must not change",
		"Put the old value back, or make a new object.", "", schemaTags},
	{ReaderLimit, Error, "the document is beyond what a reader or an API server takes",
		"Split the document, or make it smaller.", "", schemaTags},
}

// Bookkeeping are the rules about what has been accepted on record.
var Bookkeeping = []Description{
	{SuppressionUnused, Warning, "a suppression accepts nothing",
		"Remove it: what it accepted is gone, or stands elsewhere.", "It would hide the next fault of its rule.", suppressionTags},
	{SuppressionExpired, Warning, "a suppression has outlived its date",
		"Mend what it accepted, or agree on a later date.", "", suppressionTags},
	{SuppressionUnknownRule, Warning, "a suppression names a rule that does not exist",
		"Correct the name of the rule.", "A misspelt suppression accepts nothing.", suppressionTags},
	{SuppressionMalformed, Warning, "a suppression cannot be read",
		"Write kindvet:ignore[rule, ...] reason, or kindvet:ignore-file[rule, ...] reason.", "", suppressionTags},
	{SuppressionRefused, Warning, "a suppression tries to accept what the API server refuses",
		"Mend the fault: a comment or an annotation does not make the server take the object.", "", suppressionTags},
	{SuppressionWithoutReason, Info, "a suppression gives no reason",
		"Say why behind the rules, for whoever reads it next.", "", suppressionTags},
	{BaselineUnmatched, Info, "an entry of the baseline matches nothing any more",
		"Run 'kindvet baseline prune' to drop it.", "It would accept the next fault of its rule in its place.", suppressionTags},
}

var (
	schemaTags      = []string{"schema"}
	suppressionTags = []string{"suppression"}
)
