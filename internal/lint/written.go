package lint

import (
	"math/bits"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/pattern"
)

var (
	typeNames  = [...]string{"null", "boolean", "integer", "number", "string", "object", "array"}
	styleNames = [...]string{"plain", "single-quoted", "double-quoted", "literal", "folded", "flow"}
)

// sourceOf describes how a value is written, for the variable source of rules.
func sourceOf(n manifest.Node) [5]string {
	raw, tag := n.Raw(), ""
	if n.Tagged() && strings.HasPrefix(raw, "!") {
		tag, _, _ = strings.Cut(raw, " ")
	}
	return [5]string{raw, styleNames[n.Style()], tag, rawKey(n), between(n)}
}

// between returns the text between a field's key and its value: the colon and everything around it.
func between(n manifest.Node) string {
	key, value := n.KeySpan(), n.Span()
	if key.End == key.Start || value.Start < key.End {
		return ""
	}
	return n.Tree().Source.Text[key.End:value.Start]
}

// rawKey returns the key of a field as it is written, including quotes.
func rawKey(n manifest.Node) string {
	sp := n.KeySpan()
	return n.Tree().Source.Text[sp.Start:sp.End]
}

// filter is a compiled condition on how a value is written.
type filter struct {
	types    uint8 // a bit for each of typeNames; 0 means any
	style    int   // index in styleNames; -1 means any
	raw, key *pattern.Pattern
	first    *byteSet // the bytes with which raw can start, or key if there is no raw
}

func (w *written) filter() *filter {
	f := &filter{style: slices.Index(styleNames[:], w.Style)}
	for _, t := range w.Types {
		f.types |= typeBit(manifest.Type(slices.Index(typeNames[:], t) + 1))
	}
	if w.Key != "" {
		f.key, f.first = pattern.New(w.Key), firstBytes(w.Key)
	}
	if w.Raw != "" || w.Key == "" {
		f.first = firstBytes(w.Raw)
	}
	if w.Raw != "" {
		f.raw = pattern.New(w.Raw)
	}
	return f
}

func typeBit(t manifest.Type) uint8 { return 1 << (t - 1) }

// passes reports whether a value meets the condition.
func (f *filter) passes(n manifest.Node) bool {
	return (f.types == 0 || f.types&typeBit(n.Type()) != 0) &&
		(f.style < 0 || f.style == int(n.Style())) &&
		(f.raw == nil || f.raw.MatchString(n.Raw())) &&
		(f.key == nil || f.key.MatchString(rawKey(n)))
}

// scanner finds the values to which rules about the written text apply, in one walk over a document. The type and
// the first byte of a text exclude nearly all rules.
type scanner struct {
	rules   []*entry
	filters []*filter
	byRaw   [len(typeNames)][256]uint64 // rules that may match a value, by its type and the first byte of its text
	byKey   [256]uint64                 // rules that may match a key, by its first byte
	// digits are the rules whose texts can start with a digit, and number matches the texts of all of them. Few of the
	// many numbers match.
	digits uint64
	number *pattern.Pattern
}

// mostScanned is the maximum number of rules in one scanner, which has a bit for each.
const mostScanned = 64

func newScanner(rules []*entry) *scanner {
	s := &scanner{rules: rules}
	var numbers []string
	for i, e := range rules {
		f := e.sieve
		s.filters = append(s.filters, f)
		if f.raw != nil && f.first != nil && f.first.has('1') {
			s.digits |= 1 << i
			numbers = append(numbers, "(?:"+e.Written.Raw+")")
		}
		if f.raw == nil && f.key != nil {
			for b := range s.byKey {
				if f.first.has(byte(b)) {
					s.byKey[b] |= 1 << i
				}
			}
			continue
		}
		for t := range s.byRaw {
			if f.types != 0 && f.types&(1<<t) == 0 || f.types == 0 && manifest.Type(t+1) >= manifest.Map {
				continue
			}
			for b := range s.byRaw[t] {
				if f.first.has(byte(b)) {
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
	mask := s.candidates(n) & live
	if mask&s.digits != 0 && !s.number.MatchString(n.Raw()) {
		mask &^= s.digits
	}
	for ; mask != 0; mask &= mask - 1 {
		if i := bits.TrailingZeros64(mask); s.filters[i].passes(n) {
			c.value(s.rules[i], n)
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
	for i, e := range s.rules {
		if c.mayConcern(e) {
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
