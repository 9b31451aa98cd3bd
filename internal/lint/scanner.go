package lint

import (
	"math/bits"
	"regexp/syntax"
	"strings"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/pattern"
)

// scanner finds the values to which rules about the written text apply, in one walk over a document. The type and
// the first byte of a text exclude nearly all rules.
type scanner struct {
	rules []scannedRule
	byRaw [manifest.List][256]uint64 // rules that may match a value, by its type and the first byte of its text
	byKey [256]uint64                // rules that may match a key, by its first byte
	// digits are the rules whose texts can start with a digit, and number matches the texts of all of them. Few of the
	// many numbers match.
	digits uint64
	number *pattern.Pattern
}

// scannedRule is a rule about the written text of every scalar.
type scannedRule struct {
	*rule.Entry
	required
}

// mostScanned is the maximum number of rules in one scanner, which has a bit for each. Others are evaluated like rules
// of other forms.
const mostScanned = 64

func newScanner(rules []scannedRule) *scanner {
	s := &scanner{rules: rules}
	var numbers []string
	for i, e := range rules {
		w := &e.Written
		first := firstBytes(w.Raw)
		if w.Raw != "" && first != nil && first.has('1') {
			s.digits |= 1 << i
			numbers = append(numbers, "(?:"+e.Written.Raw+")")
		}
		if w.Raw == "" && w.Key != "" {
			first = firstBytes(w.Key)
			for b := range s.byKey {
				if first.has(byte(b)) {
					s.byKey[b] |= 1 << i
				}
			}
			continue
		}
		for t := range s.byRaw {
			of := manifest.Type(t + 1)
			if !w.HasType(of) || len(w.Types) == 0 && of >= manifest.Map {
				continue
			}
			for b := range s.byRaw[t] {
				if first.has(byte(b)) {
					s.byRaw[t][b] |= 1 << i
				}
			}
		}
	}
	s.number = pattern.New(strings.Join(numbers, "|"))
	return s
}

// scan checks values against the rules that their texts may break. live is the bit set of the rules to check.
func (c *checker) scan(s *scanner, n manifest.Node, live uint64) {
	if n.Type() >= manifest.Map && n.Tree().IsCanceled() {
		return
	}
	mask := s.candidates(n) & live
	if mask&s.digits != 0 && !s.number.MatchString(n.Raw()) {
		mask &^= s.digits
	}
	for ; mask != 0; mask &= mask - 1 {
		if i := bits.TrailingZeros64(mask); s.rules[i].IsWrittenAs(n) {
			c.value(s.rules[i].Entry, n)
		}
	}
	for child := n.First(); child.Valid(); child = child.Next() {
		c.scan(s, child, live)
	}
}

func (s *scanner) candidates(n manifest.Node) (mask uint64) {
	text := n.Tree().Source.Text
	sp, b := n.Span(), byte(0) // 0 means no text, such as for the null in "key:"
	if sp.End > sp.Start {
		b = text[sp.Start]
	}
	mask = s.byRaw[n.Type()-1][b]
	if key := n.KeySpan(); key.End > key.Start {
		mask |= s.byKey[text[key.Start]]
	}
	return mask
}

// live returns the rules whose texts the document contains.
func (c *checker) live(s *scanner) (mask uint64) {
	for i := range s.rules {
		if c.holds(s.rules[i].required) {
			mask |= 1 << i
		}
	}
	return mask
}

// byteSet is a set of bytes. A nil set contains all bytes.
type byteSet [256]bool

func (s *byteSet) has(b byte) bool { return s == nil || s[b] }

// firstBytes returns the bytes with which a text that matches the pattern can start. These are all bytes unless the
// pattern is anchored at the start of the text.
func firstBytes(pattern string) *byteSet {
	if !strings.HasPrefix(pattern, "^") {
		return nil
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic("the pattern of a rule has been tested: " + err.Error())
	}
	program, err := syntax.Compile(parsed.Simplify())
	set := &byteSet{}
	if err != nil || program.StartCond()&syntax.EmptyBeginText == 0 ||
		!firstOf(program, program.Start, set, map[int]bool{}) {
		return nil
	}
	return set
}

// firstOf adds the bytes with which a match can start from an instruction on. It returns false if they cannot be
// determined.
func firstOf(program *syntax.Prog, at int, set *byteSet, seen map[int]bool) bool {
	if seen[at] {
		return true
	}
	seen[at] = true
	switch i := &program.Inst[at]; i.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return firstOf(program, int(i.Out), set, seen) && firstOf(program, int(i.Arg), set, seen)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		return firstOf(program, int(i.Out), set, seen)
	case syntax.InstRune, syntax.InstRune1:
		for b := range rune(0x80) {
			if i.MatchRune(b) {
				set[b] = true
			}
		}
		for b := 0x80; b < 0x100; b++ { // part of a character that may match
			set[b] = true
		}
		return true
	}
	return false
}
