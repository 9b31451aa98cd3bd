package lint

import "strings"

// texts finds which of some short texts a longer one holds, in one pass.
type texts struct {
	pairs [1 << 16 / 64]uint64 // a bit for each two bytes with which one starts
	list  []wantedText
	empty uint64 // the bits of empty texts, which all texts hold
}

type wantedText struct {
	text string
	bit  uint64
}

// add adds a text, which bit stands for.
func (t *texts) add(text string, bit uint64) {
	switch len(text) {
	case 0:
		t.empty |= bit
		return
	case 1:
		for second := range 256 {
			t.addPair(text[0], byte(second))
		}
	default:
		t.addPair(text[0], text[1])
	}
	t.list = append(t.list, wantedText{text, bit})
}

func (t *texts) addPair(a, b byte) {
	pair := uint(a)<<8 | uint(b)
	t.pairs[pair/64] |= 1 << (pair % 64)
}

// in returns the bits of the texts that text holds.
func (t *texts) in(text string) uint64 {
	held := t.empty
	for i := 1; i < len(text); i++ {
		pair := uint(text[i-1])<<8 | uint(text[i])
		if t.pairs[pair/64]&(1<<(pair%64)) != 0 {
			held |= t.at(text[i-1:])
		}
	}
	if len(text) > 0 {
		held |= t.at(text[len(text)-1:])
	}
	return held
}

// at returns the bits of the texts with which text starts.
func (t *texts) at(text string) (held uint64) {
	for i := range t.list {
		if w := &t.list[i]; strings.HasPrefix(text, w.text) {
			held |= w.bit
		}
	}
	return held
}

// held are the rules whose texts a document holds.
type held struct {
	known bool
	bits  uint64
}

// find searches a document for the texts that rules ask for; it is done once.
func (p *plan) find(d *Document) held {
	if !d.held.known {
		d.held.known = true
		if p.texts != nil {
			d.held.bits = p.texts.in(d.text())
		}
	}
	return d.held
}

// mayConcern says whether the document holds one of the texts that a rule asks for.
func (c *checker) mayConcern(e *entry) bool {
	switch {
	case len(e.Contains) == 0:
		return true
	case e.textBit != 0:
		return c.document.held.bits&e.textBit != 0
	}
	text := c.document.text()
	for _, wanted := range e.Contains {
		if strings.Contains(text, wanted) {
			return true
		}
	}
	return false
}

// numberTexts gives the rules that ask for texts their bits.
func numberTexts(entries []*entry) {
	bit := uint64(1)
	for _, e := range entries {
		if len(e.Contains) > 0 {
			e.textBit = bit // 0 once there are no more
			bit <<= 1
		}
	}
}
