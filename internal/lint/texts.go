package lint

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/search"
)

// texts finds which of several texts a document contains, in one scan that looks at every second pair of bytes. Of any
// three consecutive bytes, it sees one pair. Shorter texts are found by each pair that they may be a part of.
type texts struct {
	long   [buckets][]wantedPair
	short  []wantedText
	starts [256]bool            // the first bytes of short texts
	pairs  [1 << 16 / 64]uint64 // a bit for each pair at which a text may be
	bits   uint64               // of all texts
	always uint64               // of empty texts
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
	switch {
	case text == "":
		t.always |= bit
		return
	case len(text) < windowSize:
		t.addShort(w)
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
		t.want(pair)
		bucket := &t.long[bucketOf(pair)]
		*bucket = append(*bucket, wantedPair{w, pair, i})
	}
}

// addShort adds a text of one or two bytes. The pair that the scan sees may start with it, or end with its first byte.
func (t *texts) addShort(w wantedText) {
	t.short = append(t.short, w)
	first := w.text[0]
	t.starts[first] = true
	for other := range 256 {
		t.want(pairOf(byte(other), first))
		if len(w.text) == 1 || w.text[1] == byte(other) {
			t.want(pairOf(first, byte(other)))
		}
	}
}

func (t *texts) want(pair uint16) { t.pairs[pair/64] |= 1 << (pair % 64) }

// commonness estimates how often the pairs of the window at the start of a text occur in documents.
func commonness(text string) (n int) {
	for i := range windowSize - 1 {
		n += frequency(text[i]) * frequency(text[i+1])
	}
	return n
}

// frequency estimates how often a byte occurs in documents.
func frequency(b byte) int {
	switch rank := search.Rarity(b); {
	case rank < 9:
		return 4
	case rank < 24:
		return 2
	}
	return 1
}

func pairOf(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// in returns the bits of the texts that the given text contains.
func (t *texts) in(text string) (held uint64) {
	held = t.always
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
	if i < len(text) {
		held |= t.shortAt(text[i:])
	}
	return held
}

func (t *texts) has(pair uint16) uint64 { return t.pairs[pair/64] >> (pair % 64) & 1 }

// at returns the bits of the texts of which the pair at i is a part.
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
	return held | t.shortAt(text[i:]) | t.shortAt(text[i+1:])
}

// shortAt returns the bits of the short texts with which a text starts.
func (t *texts) shortAt(text string) (held uint64) {
	if !t.starts[text[0]] {
		return 0
	}
	for k := range t.short {
		if w := &t.short[k]; strings.HasPrefix(text, w.text) {
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

// required are texts of which rules require one. bit is their bit in a set of texts that a document holds. It is 0 if
// there are no texts, or if there are too many of such lists.
type required struct {
	texts []string
	bit   uint64
}

// numberTexts assigns bits to the lists of texts that rules require.
func numberTexts(list rule.List) map[string]uint64 {
	bits := map[string]uint64{}
	next := uint64(1)
	for _, e := range list {
		if len(e.Contains) == 0 {
			continue
		}
		key := textsKey(e.Contains)
		if _, ok := bits[key]; !ok {
			bits[key] = next // 0 when all bits are taken
			next <<= 1
		}
	}
	return bits
}

func textsKey(texts []string) string { return strings.Join(texts, "\x00") }
