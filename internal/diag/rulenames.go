package diag

import (
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/nearest"
)

// RuleNames resolves the names of rules: ids of all rules, and short names of lint rules. A short name is the id
// without its family, such as open-cidr for network/open-cidr. Rules of several families may share a short name.
type RuleNames struct {
	ids   map[Rule]bool
	short map[string][]Rule
	names []string // ids and short names, for suggestions
}

// NewRuleNames returns the names of the rules of this package and of the given lint rules.
func NewRuleNames(lint []Rule) *RuleNames {
	n := &RuleNames{ids: map[Rule]bool{}, short: map[string][]Rule{}}
	for _, list := range [][]Description{Enforced, Bookkeeping, Settings} {
		for i := range list {
			n.add(list[i].Rule)
		}
	}
	for _, rule := range lint {
		n.add(rule)
	}
	return n
}

func (n *RuleNames) add(rule Rule) {
	if n.ids[rule] {
		return
	}
	n.ids[rule] = true
	n.names = append(n.names, string(rule))
	if _, short, ok := strings.Cut(string(rule), "/"); ok {
		n.short[short] = append(n.short[short], rule)
		n.names = append(n.names, short)
	}
}

// Find returns the rules with the given name: the rule with this id, or otherwise all rules with this short name. It
// returns nil if the name is unknown.
func (n *RuleNames) Find(name string) []Rule {
	if n.ids[Rule(name)] {
		return []Rule{Rule(name)}
	}
	return n.short[name]
}

// IsName reports whether name is the id or the short name of rule.
func (n *RuleNames) IsName(rule Rule, name string) bool {
	return string(rule) == name || slices.Contains(n.Find(name), rule)
}

// Nearest returns the id of the rule that a mistyped name was probably meant to be. It returns false if no rule is
// near enough.
func (n *RuleNames) Nearest(name string) (Rule, bool) {
	near, ok := nearest.Name(name, n.names)
	if !ok {
		return "", false
	}
	return n.Find(near)[0], true
}
