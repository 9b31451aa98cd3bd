package planted

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/kindvet/kindvet/internal/source"
)

// kind is a kind of fault. plant returns the change that makes one, and where it is.
type kind struct {
	name     string
	plant    func(*rand.Rand, *text) (change, spot, bool)
	isUnsafe bool
	isAlone  bool // a text with this fault has no other
}

// kinds are all of them. Whether one is a fault where it is drawn depends on the schema: a label may have any name.
var kinds = []kind{
	{name: "key in another case", plant: onKeys(otherCase)},
	{name: "key with hyphens or underscores", plant: onKeys(otherWords)},
	{name: "key with a typo", plant: onKeys(typo), isUnsafe: true},
	{name: "string without quotes", plant: unquoted},
	{name: "number in quotes", plant: quotedNumber},
	{name: "boolean in quotes", plant: quotedBoolean},
	{name: "integer with a fraction", plant: withFraction},
	{name: "value in another case", plant: onStrings(otherCase)},
	{name: "value with a typo", plant: onStrings(typo), isUnsafe: true},
	{name: "field twice", plant: fieldTwice},
	{name: "item twice", plant: itemTwice},
	{name: "missing field", plant: missing, isAlone: true},
	{name: "trailing comma", plant: trailingComma, isAlone: true},
	{name: "older version", plant: olderVersion, isAlone: true},
	{name: "kind or version in another case", plant: onIdentity, isAlone: true},
	{name: "metadata of a server", plant: serverMetadata},
	{name: "unused suppression", plant: unusedSuppression},
}

// made returns a change.
func made(at source.Span, bad, want string) change { return change{at: at, bad: bad, want: want} }

// drawn returns a random spot for which a condition holds.
func (t *text) drawn(r *rand.Rand, is func(spot) bool) (spot, bool) {
	start := r.IntN(len(t.spots))
	for i := range t.spots {
		if s := t.spots[(start+i)%len(t.spots)]; is(s) {
			return s, true
		}
	}
	return spot{}, false
}

// isWritten reports whether a value is written where the spot is, and not by an alias.
func (t *text) isWritten(s spot) bool {
	return t.text[s.value.Start] != '*' && t.text[s.value.Start] != '&'
}

func onKeys(misspell func(*rand.Rand, string) string) func(*rand.Rand, *text) (change, spot, bool) {
	return func(r *rand.Rand, t *text) (change, spot, bool) {
		s, ok := t.drawn(r, func(s spot) bool { return s.key.End > s.key.Start && !s.isLabel() })
		if !ok {
			return change{}, spot{}, false
		}
		key := s.path[len(s.path)-1]
		if len(s.path) == 1 && (key == "apiVersion" || key == "kind") && r.IntN(4) > 0 {
			return change{}, spot{}, false
		}
		other := misspell(r, key)
		if other == key || slices.Contains(s.siblings, other) {
			return change{}, spot{}, false
		}
		c := t.respelled(s.key, key, other)
		c.covers = s.whole // behind an unknown field, nothing is found
		return c, s, true
	}
}

func onStrings(misspell func(*rand.Rand, string) string) func(*rand.Rand, *text) (change, spot, bool) {
	return func(r *rand.Rand, t *text) (change, spot, bool) {
		s, ok := t.drawn(r, func(s spot) bool {
			value, ok := s.content.(string)
			return ok && len(value) > 1 && len(value) < 40 && t.isWritten(s) &&
				!slices.Contains([]string{"apiVersion", "kind", "name", "namespace"}, s.path[len(s.path)-1]) &&
				!s.isLabel()
		})
		if !ok {
			return change{}, spot{}, false
		}
		value := s.content.(string)
		if other := misspell(r, value); other != value {
			return t.respelled(s.value, value, other), s, true
		}
		return change{}, spot{}, false
	}
}

// isLabel reports whether a spot is in labels or a selector. Where one of them differs, the fix may change the other.
func (s spot) isLabel() bool {
	return slices.ContainsFunc(s.path, func(name string) bool { return name == "labels" || name == "matchLabels" || name == "selector" })
}

// respelled replaces a string in its quotes.
func (t *text) respelled(at source.Span, old, other string) change {
	raw := t.text[at.Start:at.End]
	if !strings.Contains(raw, old) {
		return change{}
	}
	return made(at, strings.Replace(raw, old, other, 1), raw)
}

// otherCase changes the case of some letters.
func otherCase(r *rand.Rand, name string) string {
	switch r.IntN(4) {
	case 0:
		return strings.ToLower(name)
	case 1:
		return strings.ToUpper(name)
	case 2:
		return flipped(name, 0)
	}
	return flipped(name, r.IntN(len(name)))
}

// flipped changes the case of the letter at an offset.
func flipped(name string, at int) string {
	b := []byte(name)
	switch c := rune(b[at]); {
	case c > unicode.MaxASCII:
	case unicode.IsUpper(c):
		b[at] = byte(unicode.ToLower(c))
	default:
		b[at] = byte(unicode.ToUpper(c))
	}
	return string(b)
}

// otherWords separates the words of a name.
func otherWords(r *rand.Rand, name string) string {
	separator := []string{"-", "_"}[r.IntN(2)]
	var b strings.Builder
	for i, c := range name {
		if i > 0 && unicode.IsUpper(c) {
			b.WriteString(separator)
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// typo changes one letter.
func typo(r *rand.Rand, name string) string {
	if len(name) < 4 || strings.ContainsFunc(name, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') }) {
		return name
	}
	i := r.IntN(len(name) - 1)
	switch r.IntN(4) {
	case 0:
		return name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:]
	case 1:
		return name[:i] + name[i+1:]
	case 2:
		return name[:i] + name[i:i+1] + name[i:]
	}
	return name[:i] + string(rune('a'+r.IntN(26))) + name[i+1:]
}

// unquotedStrings read as numbers, booleans or nulls without quotes.
var unquotedStrings = []string{
	"1.10", "1", "0755", "8080", "true", "false", "yes", "no", "on", "Off", "Yes", "TRUE", "0x1F", "1e3", "1_000", "-1", "+1", ".5", "1.",
	"010", "0o17", "100000000000000000000", "1.0", "0", "-0", "2.50", "9007199254740993", "0b11", "1e400",
}

func unquoted(r *rand.Rand, t *text) (change, spot, bool) {
	s, ok := t.drawn(r, func(s spot) bool {
		value, ok := s.content.(string)
		isIdentity := slices.Contains([]string{"apiVersion", "kind"}, s.path[len(s.path)-1]) // which have other fixes
		return ok && !strings.Contains(value, "\n") && t.isWritten(s) && !isIdentity
	})
	if !ok {
		return change{}, spot{}, false
	}
	text := unquotedStrings[r.IntN(len(unquotedStrings))]
	if t.isJSON() && !json.Valid([]byte(text)) {
		return change{}, spot{}, false
	}
	return made(s.value, text, `"`+text+`"`), s, true
}

func (t *text) isJSON() bool { return t.style.form == jsonLine || t.style.form == indentedJSON }

// quote returns one of the quotes that a document can have.
func (t *text) quote(r *rand.Rand) string {
	if t.isJSON() || r.IntN(2) == 0 {
		return `"`
	}
	return "'"
}

func quotedNumber(r *rand.Rand, t *text) (change, spot, bool) {
	return quotedValue(r, t, func(v any) bool { _, ok := v.(json.Number); return ok })
}

func quotedBoolean(r *rand.Rand, t *text) (change, spot, bool) {
	return quotedValue(r, t, func(v any) bool { _, ok := v.(bool); return ok })
}

func quotedValue(r *rand.Rand, t *text, is func(any) bool) (change, spot, bool) {
	s, ok := t.drawn(r, func(s spot) bool { return is(s.content) && t.isWritten(s) })
	if !ok {
		return change{}, spot{}, false
	}
	raw, quote := t.text[s.value.Start:s.value.End], t.quote(r)
	return made(s.value, quote+raw+quote, raw), s, true
}

// withFraction makes an integer a number that readers of YAML take for an integer and others do not.
func withFraction(r *rand.Rand, t *text) (change, spot, bool) {
	s, ok := t.drawn(r, func(s spot) bool {
		n, ok := s.content.(json.Number)
		return ok && t.isWritten(s) && !strings.ContainsAny(n.String(), ".eE")
	})
	if !ok {
		return change{}, spot{}, false
	}
	raw := t.text[s.value.Start:s.value.End]
	return made(s.value, raw+".0", raw), s, true
}

func fieldTwice(r *rand.Rand, t *text) (change, spot, bool) {
	s, ok := t.drawn(r, func(s spot) bool { return s.key.End > s.key.Start && t.isWritten(s) })
	if !ok {
		return change{}, spot{}, false
	}
	return t.twice(s), s, true
}

func itemTwice(r *rand.Rand, t *text) (change, spot, bool) {
	s, ok := t.drawn(r, func(s spot) bool { return s.key.End == s.key.Start && t.isWritten(s) })
	if !ok {
		return change{}, spot{}, false
	}
	return t.twice(s), s, true
}

// twice writes a field or item once more after it.
func (t *text) twice(s spot) change {
	whole := t.text[s.whole.Start:s.whole.End]
	after := source.Span{Start: s.whole.End, End: s.whole.End}
	if strings.Contains(whole, "&") && t.style.hasAnchors {
		return change{}
	}
	c := change{at: after, covers: s.whole}
	switch before := t.commentBefore(s); {
	case s.isFlow:
		c.bad = s.separator + whole
	case before < s.whole.Start && strings.HasSuffix(whole, "\n"):
		c.at = source.Span{Start: before, End: before} // the first one is removed, with its comment
		c.covers.Start, c.bad = before, s.indent+whole
	case strings.HasSuffix(whole, "\n"):
		c.bad = s.indent + whole
	case before < s.whole.Start: // at the end of a text without a last line break
		return change{}
	default:
		c.bad = t.style.lineBreak + s.indent + whole
	}
	return c
}

// commentBefore returns where the comment above a field starts, or where the field starts if there is none.
func (t *text) commentBefore(s spot) int {
	line := s.whole.Start - len(s.indent)
	if s.key.End == s.key.Start || line <= 0 || t.text[line-1] != '\n' {
		return s.whole.Start
	}
	above := strings.LastIndexByte(t.text[:line-1], '\n') + 1
	if !strings.HasPrefix(t.text[above:], s.indent+"# about") {
		return s.whole.Start
	}
	return above
}

// missing removes a field.
func missing(r *rand.Rand, t *text) (change, spot, bool) {
	s, ok := t.drawn(r, func(s spot) bool {
		return s.key.End > s.key.Start && !s.isFlow && t.isWritten(s) && strings.TrimLeft(t.lineBefore(s.whole.Start), " ") == "" &&
			len(s.siblings) > 1 && strings.HasSuffix(t.text[:s.whole.End], "\n")
	})
	if !ok || t.style.hasAnchors {
		return change{}, spot{}, false
	}
	whole := source.Span{Start: s.whole.Start - len(s.indent), End: s.whole.End}
	return made(whole, "", t.text[whole.Start:whole.End]), s, true
}

func (t *text) lineBefore(at int) string {
	return t.text[strings.LastIndexByte(t.text[:at], '\n')+1 : at]
}

func trailingComma(r *rand.Rand, t *text) (change, spot, bool) {
	if !t.isJSON() {
		return change{}, spot{}, false
	}
	s, ok := t.drawn(r, func(s spot) bool { return s.isLast })
	return made(source.Span{Start: s.whole.End, End: s.whole.End}, ",", ""), s, ok
}

// olderVersions are versions that were removed, and whose objects are often valid in the newer one.
var olderVersions = map[string][]string{
	"apps/v1 Deployment":                                         {"apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"},
	"apps/v1 DaemonSet":                                          {"apps/v1beta2", "extensions/v1beta1"},
	"apps/v1 StatefulSet":                                        {"apps/v1beta1", "apps/v1beta2"},
	"apps/v1 ReplicaSet":                                         {"apps/v1beta2", "extensions/v1beta1"},
	"batch/v1 CronJob":                                           {"batch/v1beta1"},
	"policy/v1 PodDisruptionBudget":                              {"policy/v1beta1"},
	"networking.k8s.io/v1 NetworkPolicy":                         {"extensions/v1beta1"},
	"networking.k8s.io/v1 IngressClass":                          {"networking.k8s.io/v1beta1"},
	"rbac.authorization.k8s.io/v1 Role":                          {"rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1alpha1"},
	"rbac.authorization.k8s.io/v1 ClusterRole":                   {"rbac.authorization.k8s.io/v1beta1"},
	"rbac.authorization.k8s.io/v1 RoleBinding":                   {"rbac.authorization.k8s.io/v1beta1"},
	"rbac.authorization.k8s.io/v1 ClusterRoleBinding":            {"rbac.authorization.k8s.io/v1beta1"},
	"storage.k8s.io/v1 StorageClass":                             {"storage.k8s.io/v1beta1"},
	"storage.k8s.io/v1 CSIDriver":                                {"storage.k8s.io/v1beta1"},
	"scheduling.k8s.io/v1 PriorityClass":                         {"scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha1"},
	"coordination.k8s.io/v1 Lease":                               {"coordination.k8s.io/v1beta1"},
	"discovery.k8s.io/v1 EndpointSlice":                          {"discovery.k8s.io/v1beta1"},
	"apiregistration.k8s.io/v1 APIService":                       {"apiregistration.k8s.io/v1beta1"},
	"autoscaling/v2 HorizontalPodAutoscaler":                     {"autoscaling/v2beta2"},
	"node.k8s.io/v1 RuntimeClass":                                {"node.k8s.io/v1beta1"},
	"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy":  {"admissionregistration.k8s.io/v1beta1"},
	"flowcontrol.apiserver.k8s.io/v1 FlowSchema":                 {"flowcontrol.apiserver.k8s.io/v1beta3", "flowcontrol.apiserver.k8s.io/v1beta2"},
	"flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration": {"flowcontrol.apiserver.k8s.io/v1beta3"},
}

// identity returns the fields apiVersion and kind of the document.
func (t *text) identity() (version, kind spot, ok bool) {
	for _, s := range t.spots {
		if len(s.path) == 1 && s.path[0] == "apiVersion" {
			version = s
		} else if len(s.path) == 1 && s.path[0] == "kind" {
			kind = s
		}
	}
	_, isVersion := version.content.(string)
	_, isKind := kind.content.(string)
	return version, kind, isVersion && isKind
}

func olderVersion(r *rand.Rand, t *text) (change, spot, bool) {
	version, kind, ok := t.identity()
	if !ok {
		return change{}, spot{}, false
	}
	name := version.content.(string)
	older := olderVersions[name+" "+kind.content.(string)]
	if len(older) == 0 {
		return change{}, spot{}, false
	}
	return t.respelled(version.value, name, older[r.IntN(len(older))]), version, true
}

func onIdentity(r *rand.Rand, t *text) (change, spot, bool) {
	version, kind, ok := t.identity()
	if !ok {
		return change{}, spot{}, false
	}
	s := kind
	if r.IntN(3) == 0 {
		s = version
	}
	name := s.content.(string)
	if other := otherCase(r, name); other != name {
		return t.respelled(s.value, name, other), s, true
	}
	return change{}, spot{}, false
}

var serverFields = []struct{ key, value string }{
	{"creationTimestamp", "null"}, {"creationTimestamp", `"2026-01-02T03:04:05Z"`}, {"selfLink", `"/api/v1/a"`}, {"generation", "3"},
	{"managedFields", "[]"},
}

// serverMetadata adds a field after the last one of the metadata.
func serverMetadata(r *rand.Rand, t *text) (change, spot, bool) {
	field := serverFields[r.IntN(len(serverFields))]
	s, ok := t.drawn(r, func(s spot) bool {
		return len(s.path) == 2 && s.path[0] == "metadata" && t.isWritten(s) && !slices.Contains(s.siblings, field.key)
	})
	if !ok {
		return change{}, spot{}, false
	}
	written := field.key + ": " + field.value
	if t.style.quotesKeys {
		written = string(t.text[s.key.Start]) + field.key + string(t.text[s.key.Start]) + ": " + field.value
	}
	after := source.Span{Start: s.whole.End, End: s.whole.End}
	switch {
	case s.isFlow:
		return made(after, s.separator+written, ""), s, true
	case strings.HasSuffix(t.text[:s.whole.End], "\n"):
		return made(after, s.indent+written+t.style.lineBreak, ""), s, true
	}
	return made(after, t.style.lineBreak+s.indent+written, ""), s, true
}

// unusedSuppression adds a comment that suppresses nothing: on its own line, or after a value.
func unusedSuppression(r *rand.Rand, t *text) (change, spot, bool) {
	s, ok := t.drawn(r, func(s spot) bool {
		return s.key.End > s.key.Start && !s.isFlow && strings.TrimLeft(t.lineBefore(s.whole.Start), " ") == ""
	})
	if !ok {
		return change{}, spot{}, false
	}
	start := s.whole.Start - len(s.indent)
	return made(source.Span{Start: start, End: start}, s.indent+"# kindvet:ignore[no-match] no reason"+t.style.lineBreak, ""), s, true
}
