package lint

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

// texts finds which of several texts a document contains. Short texts are searched for one by one, which package
// strings does fast. All others are found in one scan that looks at every second pair of bytes: of any three
// consecutive bytes, it sees one pair.
type texts struct {
	short []wantedText
	long  [buckets][]wantedPair
	pairs [1 << 16 / 64]uint64 // a bit for each pair in long
}

const buckets = 64

func bucketOf(pair uint16) uint16 { return (pair ^ pair>>7) % buckets }

// wantedText is a text and the bit that represents it.
type wantedText struct {
	text string
	bit  uint64
}

// wantedPair is a pair of bytes of a long text and its offset in the text.
type wantedPair struct {
	wantedText
	pair   uint16
	offset int
}

// windowSize is the number of consecutive bytes of which the scan sees at least one pair.
const windowSize = 3

func (t *texts) add(text string, bit uint64) {
	w := wantedText{text, bit}
	if len(text) < windowSize {
		t.short = append(t.short, w)
		return
	}
	window := 0
	for i := range len(text) - windowSize + 1 {
		if commonness(text[i:]) < commonness(text[window:]) {
			window = i
		}
	}
	for i := window; i < window+windowSize-1; i++ {
		pair := pairOf(text[i], text[i+1])
		t.pairs[pair/64] |= 1 << (pair % 64)
		bucket := &t.long[bucketOf(pair)]
		*bucket = append(*bucket, wantedPair{w, pair, i})
	}
}

// commonness is the number of pairs of lowercase letters, which are common in documents, in the window at the start
// of a text.
func commonness(text string) (n int) {
	for i := range windowSize - 1 {
		if isSmall(text[i]) && isSmall(text[i+1]) {
			n++
		}
	}
	return n
}

func isSmall(b byte) bool { return 'a' <= b && b <= 'z' }

func pairOf(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// in returns the bits of the texts that the given text contains.
func (t *texts) in(text string) (held uint64) {
	for i := range t.short {
		if strings.Contains(text, t.short[i].text) {
			held |= t.short[i].bit
		}
	}
	bytes := unsafe.Slice(unsafe.StringData(text), len(text))
	i := 0
	for ; i+8 <= len(bytes); i += 8 {
		eight := binary.LittleEndian.Uint64(bytes[i:])
		if t.has(uint16(eight))|t.has(uint16(eight>>16))|t.has(uint16(eight>>32))|t.has(uint16(eight>>48)) != 0 {
			for j := i; j < i+8; j += 2 {
				held |= t.at(text, j)
			}
		}
	}
	for ; i+2 <= len(text); i += 2 {
		held |= t.at(text, i)
	}
	return held
}

func (t *texts) has(pair uint16) uint64 { return t.pairs[pair/64] >> (pair % 64) & 1 }

// at returns the bits of the long texts of which the pair at i is a part.
func (t *texts) at(text string, i int) (held uint64) {
	pair := pairOf(text[i], text[i+1])
	if t.has(pair) == 0 {
		return 0
	}
	bucket := t.long[bucketOf(pair)]
	for k := range bucket {
		if w := &bucket[k]; w.pair == pair && i >= w.offset && strings.HasPrefix(text[i-w.offset:], w.text) {
			held |= w.bit
		}
	}
	return held
}

// held are the rules whose texts a document contains.
type held struct {
	known bool
	bits  uint64
}

// find searches a document for the texts that rules require. This is done only once.
func (p *plan) find(d *Document) held {
	if !d.held.known {
		d.held.known = true
		if p.texts != nil {
			d.held.bits = p.texts.in(d.text())
		}
	}
	return d.held
}

// mayConcern reports whether the document contains one of the texts that a rule requires.
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

// numberTexts assigns bits to the rules that require texts.
func numberTexts(entries []*entry) {
	bit := uint64(1)
	for _, e := range entries {
		if len(e.Contains) > 0 {
			e.textBit = bit // 0 when all bits are taken
			bit <<= 1
		}
	}
}
