package schema

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// nameHelps are the helps for what upstream's code finds in a name (k8s.io/apimachinery, util/validation).
// The key is a part of upstream's message, which may be up to 330 characters long.
var nameHelps = []struct{ fault, help string }{
	{needsDomain, `add a domain, such as example.com/name`},
	{"optional DNS subdomain prefix", `use a name, or a domain, a slash and a name, such as example.com/name`},
	{"RFC 1123 subdomain", `use lowercase letters, digits, "-" and "."; start and end with a letter or digit`},
	{"RFC 1123 label", `use lowercase letters, digits and "-"; start and end with a letter or digit`},
	{"DNS-1035 label", `use letters, digits and "-"; start with a letter, and end with a letter or digit`},
	{"consist of alphanumeric", `use letters, digits, "-", "_" and "."; start and end with a letter or digit`},
	{"name part must be non-empty", "add a name after the slash"},
	{"prefix part must be non-empty", "add a domain before the slash, or remove the slash"},
	{"must not contain dots", `use "-" instead of "."`},
	{"must not be .", "use another name"},
	{"must not contain / or %", `remove "/" and "%"`},
}

// needsDomain is the fault of a finalizer without a domain.
const needsDomain = "name is neither a standard finalizer name nor is it fully qualified"

// lengthFault matches upstream's message about a name that is too long.
var lengthFault = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`must be no more than (\d+) (\w+)$`)
})

// nameHelp returns what to do about a fault in a name. It returns an unknown fault unchanged.
func nameHelp(fault string) string {
	part := ""
	switch {
	case strings.HasPrefix(fault, "prefix part "):
		part = "before the slash, "
	case strings.HasPrefix(fault, "name part "):
		part = "in the name, "
	}
	if m := lengthFault().FindStringSubmatch(fault); m != nil {
		return part + "use at most " + m[1] + " " + m[2]
	}
	for _, h := range nameHelps {
		if !strings.Contains(fault, h.fault) {
			continue
		}
		if strings.Contains(fault, "non-empty") {
			return h.help
		}
		return part + h.help
	}
	return lowerFirst(fault)
}

// badName reports each fault of a name. The noun says what the name stands for.
func (c *Checker) badName(rule diag.Rule, n manifest.Node, at source.Place, name, noun string, faults []string) {
	for _, fault := range faults {
		c.Add(n, diag.Violation{
			Rule: rule, Message: quote(name) + " is not a valid " + noun, Help: nameHelp(fault), Place: at,
		})
	}
}
