package rule

import "slices"

// Level is a level of the Pod Security Standards. The zero value means that the level is unknown.
type Level uint8

// The levels, from the least to the most strict one.
const (
	Privileged Level = iota + 1
	Baseline
	Restricted
)

var levelNames = [...]string{"", "privileged", "baseline", "restricted"}

func (l Level) String() string { return levelNames[l] }

// LevelOf returns the level with a name.
func LevelOf(name string) (Level, bool) {
	i := slices.Index(levelNames[1:], name) + 1
	return Level(i), i > 0
}

// IsOf reports whether the rule belongs to a level of the standards.
func (h *Head) IsOf(level Level) bool { return slices.Contains(h.Tags, "pod-security-"+level.String()) }
