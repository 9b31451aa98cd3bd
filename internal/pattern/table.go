package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// table is a deterministic automaton. A table without states gives no results.
type table struct {
	class   [utf8.RuneSelf]uint8 // bytes that no instruction distinguishes have the same class
	classes int
	start   uint16
	next    []uint16 // by state and class
	atEnd   []bool   // by state: whether a text that ends in it matches
	long    int      // no result for texts of at least this length; 0 means no limit
}

// The states that no byte leaves.
const (
	dead  = iota // no match, whatever follows
	found        // a match, whatever follows
	firstState
)

// match reports whether text contains a match. ok is false if text is too long or not ASCII.
func (t *table) match(text string) (matches, ok bool) {
	if t.next == nil || t.long > 0 && len(text) >= t.long {
		return false, false
	}
	state := int(t.start)
	for i := 0; i < len(text) && state >= firstState; i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			return false, false
		}
		state = int(t.next[state*t.classes+int(t.class[c])])
	}
	return t.atEnd[state], true
}

// Larger expressions, such as those that repeat something hundreds of times, get no table. An expression of n
// instructions may need 2 to the power of n states. The longest pattern of a CRD in 29 public repositories has 221
// bytes. Raise a limit if a pattern that many files use gets no table.
const (
	mostInstructions = 400
	mostStates       = 300
)

// newTable makes the table of an expression by subset construction: a state is the set of instructions at which the
// matcher can be (regexp/syntax.Prog). The table is empty if it would be too large, or if the expression has
// conditions about words or lines.
func newTable(expr string) *table {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return &table{}
	}
	long := withoutLength(parsed)
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(prog.Inst) > mostInstructions || !knowsConditions(prog) {
		return &table{}
	}
	b := builder{prog: prog, numbers: map[string]uint16{}, table: table{long: long}}
	representatives := b.classify()
	b.table.next = make([]uint16, firstState*b.table.classes)
	b.table.atEnd = []bool{dead: false, found: true}
	for class := range b.table.classes {
		b.table.next[found*b.table.classes+class] = found
	}
	b.table.start = b.state([]uint32{uint32(prog.Start)}, syntax.EmptyBeginText)
	for i := 0; i < len(b.sets); i++ {
		if i == mostStates {
			return &table{}
		}
		for class, c := range representatives {
			b.table.next[(i+firstState)*b.table.classes+class] = b.step(b.sets[i], c)
		}
	}
	return &b.table
}

// withoutLength removes the alternative that any text of a certain length matches, such as .{64} in [^a-z]|.{64},
// because its counting takes too many states. It returns that length, or 0 if there is no such alternative. The
// remaining expression gives the same results for shorter texts.
func withoutLength(parsed *syntax.Regexp) (long int) {
	if parsed.Op != syntax.OpAlternate {
		return 0
	}
	for i, branch := range parsed.Sub {
		if branch.Op == syntax.OpRepeat && branch.Sub[0].Op == syntax.OpAnyCharNotNL && branch.Min > 0 {
			parsed.Sub = slices.Delete(parsed.Sub, i, i+1)
			return branch.Min
		}
	}
	return 0
}

// knowsConditions reports whether the only conditions of the program between two characters are the start and the end
// of the text.
func knowsConditions(prog *syntax.Prog) bool {
	return !slices.ContainsFunc(prog.Inst, func(i syntax.Inst) bool {
		return i.Op == syntax.InstEmptyWidth && syntax.EmptyOp(i.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0
	})
}

type builder struct {
	prog    *syntax.Prog
	table   table
	sets    [][]uint32 // per state from firstState on: the instructions that need a character or the end of the text
	numbers map[string]uint16
}

// classify divides the bytes into classes, and returns one byte of each class.
func (b *builder) classify() (representatives []rune) {
	classes := map[string]uint8{}
	for c := range rune(utf8.RuneSelf) {
		var signature []byte
		for i := range b.prog.Inst {
			signature = append(signature, 0)
			if b.wants(uint32(i), c) {
				signature[i] = 1
			}
		}
		class, known := classes[string(signature)]
		if !known {
			class = uint8(len(classes))
			classes[string(signature)] = class
			representatives = append(representatives, c)
		}
		b.table.class[c] = class
	}
	b.table.classes = len(classes)
	return representatives
}

// wants reports whether the instruction at pc accepts c.
func (b *builder) wants(pc uint32, c rune) bool {
	switch i := &b.prog.Inst[pc]; i.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return i.MatchRune(c)
	}
	return false
}

// step returns the state after a character. A match may also start at that character.
func (b *builder) step(set []uint32, c rune) uint16 {
	to := []uint32{uint32(b.prog.Start)}
	for _, pc := range set {
		if b.wants(pc, c) {
			to = append(to, b.prog.Inst[pc].Out)
		}
	}
	return b.state(to, 0)
}

// state returns the number of the state for a set of instructions at which the matcher is while some conditions hold.
func (b *builder) state(at []uint32, holds syntax.EmptyOp) uint16 {
	set, matched := b.closure(at, holds)
	switch {
	case matched:
		return found
	case len(set) == 0:
		return dead
	}
	key := []byte{byte(holds)}
	for _, pc := range set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	number, known := b.numbers[string(key)]
	if !known {
		number = uint16(len(b.sets) + firstState)
		b.numbers[string(key)] = number
		b.sets = append(b.sets, set)
		b.table.next = append(b.table.next, make([]uint16, b.table.classes)...)
		_, atEnd := b.closure(set, holds|syntax.EmptyEndText)
		b.table.atEnd = append(b.table.atEnd, atEnd)
	}
	return number
}

// closure follows the instructions that need no character. It returns the instructions at which it ends, and whether
// it reaches a match.
func (b *builder) closure(at []uint32, holds syntax.EmptyOp) (set []uint32, matched bool) {
	seen := make([]bool, len(b.prog.Inst))
	for todo := slices.Clone(at); len(todo) > 0; {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := &b.prog.Inst[pc]; i.Op {
		case syntax.InstMatch:
			matched = true
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, i.Out)
		case syntax.InstEmptyWidth:
			switch missing := syntax.EmptyOp(i.Arg) &^ holds; {
			case missing == 0:
				todo = append(todo, i.Out)
			case missing == syntax.EmptyEndText:
				set = append(set, pc)
			}
		case syntax.InstFail:
		default:
			set = append(set, pc)
		}
	}
	slices.Sort(set)
	return set, matched
}
