package kustomize

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
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
		plain, err := strconv.Unquote(`"` + quoted)
		if err != nil {
			plain = strings.Trim(quoted, `"`)
		}
		text = strings.Join(strings.Fields(plain), " ")
	}
	for _, known := range sentences() {
		if known.pattern.MatchString(text) {
			return known.of(text)
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
	return cut(address().ReplaceAllString(text, ""))
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
		{referrals(), several},
	}
})

// referrals matches the identities in the error about a name that several objects have.
var referrals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`found multiple possible referrals: ([^\s,]+(?:, [^\s,]+)*)`)
})

// identifier matches an identity as the library writes it: Kind.version.group/name.namespace.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^./]*)\.[^/]*/(.*)\.([^.]*)$`)
})

// several returns the message that the name of a reference leads to several objects. It does not name the object with
// the reference: if there are several, the library reports another one in each run.
func several(text string) string {
	var objects []string
	for id := range strings.SplitSeq(referrals().FindStringSubmatch(text)[1], ", ") {
		name, namespace := named(id)
		if namespace != "" {
			name += " in namespace " + namespace
		}
		objects = append(objects, name)
	}
	const most = 3
	if rest := len(objects) - most; rest > 0 {
		objects = append(objects[:most], strconv.Itoa(rest)+" more")
	}
	return "a reference may mean each of " + strings.Join(objects, ", ")
}

// named returns the kind and name in an identity, and the namespace.
func named(id string) (name, namespace string) {
	of := identifier().FindStringSubmatch(id)
	if of == nil {
		return id, ""
	}
	if namespace = of[3]; namespace == "[noNs]" {
		namespace = ""
	}
	return of[1] + " " + diag.Quote(of[2]), namespace
}

// longestMessage is the maximum number of characters of a message of the library.
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
