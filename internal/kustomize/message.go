package kustomize

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// triedAsDirectory begins what the library adds if a file cannot be added: it takes the file for a directory, which
// hides why (KustTarget.accumulateResources).
const triedAsDirectory = "must build at directory: "

// asDirectory begins what the library adds to an error of a component, which it quotes (KustTarget.accumulateDirectory).
const asDirectory = `accumulateDirectory: "`

// messageOf returns the last reason in an error of the library. Each kustomization around it adds what it did.
func messageOf(err error) string {
	text := reasonOf(err)
	for {
		_, quoted, ok := strings.Cut(text, asDirectory)
		if !ok {
			break
		}
		unquoted, err := strconv.Unquote(`"` + quoted)
		if err != nil {
			unquoted = strings.Trim(quoted, `"`)
		}
		text = strings.Join(strings.Fields(unquoted), " ")
	}
	for _, known := range sentences() {
		if known.pattern.MatchString(text) {
			return plain(known.of(text))
		}
	}
	if inner := configuring().FindStringSubmatch(text); inner != nil {
		text = inner[1]
	}
	text, _, _ = strings.Cut(text, "': "+triedAsDirectory)
	if i := strings.LastIndex(text, "': "); i >= 0 {
		text = text[i+len("': "):]
	}
	text, _, _ = strings.Cut(text, ": no matches for Id")
	return plain(text)
}

// configuring matches what the library adds to an error of a built-in plugin, with its configuration.
var configuring = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("trouble configuring builtin \\w+ with config: `[^`]*`: (.*)")
})

// address matches memory addresses, which differ in each run.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s?(&\{)?\b0x[0-9a-f]{6,}\b[ }]*`) })

// sentence is what a message of the library says.
type sentence struct {
	pattern *regexp.Regexp
	of      func(text string) string
}

var sentences = sync.OnceValue(func() []sentence {
	replace := func(pattern, with string) sentence {
		re := regexp.MustCompile(pattern)
		return sentence{re, func(text string) string {
			return string(re.ExpandString(nil, with, text, re.FindStringSubmatchIndex(text)))
		}}
	}
	const dump = `resid\.ResId\{Gvk:resid\.Gvk\{[^}]*Kind:"([^"]*)"[^}]*\}, Name:"([^"]*)"[^}]*\}`
	return []sentence{
		replace(dump+` exists; behavior must be merge or replace`,
			`$1 "$2" is also a resource, so its generator needs the behavior merge or replace`),
		replace(dump+` does not exist; cannot merge or replace`,
			`$1 "$2" is not a resource, so the behavior of its generator cannot be merge or replace`),
		replace(`resource with name (\S+) does not match a config with the following GVK`,
			`no object that has replicas has the name "$1"`),
		replace(`unable to parse SM or JSON patch from `, `the patch is neither a strategic merge patch nor a JSON patch`),
		replace(`may not add resource with an already registered id: ([^\s']+)`, `$1 is already a resource`),
		replace(`unable to find patch target ".*" in .resources.: (.*)$`, `the target of the patch is invalid: $1`),
		replace(`multiple matches for selector ([^\s:]+)`, `several objects match the source: $1`),
		replace(`var '\{(\S+) [^']*' cannot be mapped to a field in the set of known resources`,
			`no resource has the field of the variable "$1"`),
		replace(`merging vars \[.*\]: var '(\S+)' already encountered`, `the variable "$1" is already set`),
		replace(`plugin (\w+)\.builtin\.\S+ fails configuration: (.*)$`, `the configuration of $1 is invalid: $2`),
		{referrals(), func(string) string { return ambiguousReference }},
	}
})

// referrals matches the identities in the error about a name that several objects have.
var referrals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`found multiple possible referrals: ([^\s,]+(?:, [^\s,]+)*)`)
})

// ambiguousReference is the message that the name of a reference leads to several objects.
const ambiguousReference = "a reference may mean each of several objects"

// ambiguous returns which objects a reference of a layer may mean. It does not name the object with the reference: if
// there are several, the library reports another one in each run. For the same reason it names all of the names that
// objects in several namespaces have if there is more than one.
func (r *Repository) ambiguous(l *layer, err error) string {
	var names []string
	namespaces := map[string]map[string]bool{}
	add := func(root manifest.Node) {
		name := textAt(root, "kind") + " " + diag.Quote(textAt(root, "metadata", "name"))
		if namespaces[name] == nil {
			namespaces[name] = map[string]bool{}
		}
		namespaces[name][textAt(root, "metadata", "namespace")] = true
		if len(namespaces[name]) == 2 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, b := range l.bases {
		if b.isComponent {
			continue
		}
		objects, _ := r.build(b.layer)
		for _, o := range objects {
			for _, root := range (&document{src: &source.Source{Text: o.text}}).objects() {
				add(root)
			}
		}
	}
	for _, of := range l.resources {
		if doc, ok := r.sources.read(of.path); ok {
			for _, root := range doc.objects() {
				add(root)
			}
		}
	}
	if len(names) > 1 {
		slices.Sort(names)
		return "references are ambiguous: objects in several namespaces are named " + listed(names)
	}
	var objects []string
	for id := range strings.SplitSeq(referrals().FindStringSubmatch(reasonOf(err))[1], ", ") {
		objects = append(objects, objectWords(id))
	}
	return "a reference may mean each of " + listed(objects)
}

// listed returns the first names of a list, and how many more there are.
func listed(names []string) string {
	const most = 3
	if rest := len(names) - most; rest > 0 {
		names = append(names[:most:most], strconv.Itoa(rest)+" more")
	}
	return strings.Join(names, ", ")
}

// longestMessage is the maximum number of characters of a message of the library. Some contain a whole patch.
const longestMessage = 300

// cut ends a long message after a part of a sentence.
func cut(text string) string {
	short := diag.Cut(text, longestMessage)
	if short == text {
		return text
	}
	end := max(strings.LastIndex(short, ", "), strings.LastIndex(short, ": "), strings.LastIndex(short, "; "))
	if end < 0 {
		end = strings.LastIndexByte(short, ' ')
	}
	if end < 0 {
		return short
	}
	return short[:end] + ", and more"
}
