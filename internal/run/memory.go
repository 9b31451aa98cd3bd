package run

import "unsafe"

// A run uses the memory of texts again, because most texts leave nothing after: a stream of any length is checked in
// the memory of a few chunks, and small files in one block. The contract has three sides.
//
//   - A text in such memory is valid until its memory is used again. That happens only after check has returned, and only
//     if [check.Result.KeepsText] is false: then nothing of the result is part of the text.
//   - What outlives a text in any other way is a copy: the secrets and records of a result, the kinds that a
//     [check.Memory] notes, and the keys of caches. Tests of the package check hold that for each field.
//   - Nothing else in the program makes strings of memory that changes.
//
// textIn returns memory as a text.
func textIn(memory []byte) string { return unsafe.String(unsafe.SliceData(memory), len(memory)) }

// arena holds texts one after the other in blocks of memory. If nothing refers to a text any longer, the next one
// takes its place.
type arena struct {
	block []byte
	used  int
}

const arenaBlock = 64 << 10

// add returns a copy of what was read as a text. It is valid until the next call, or for good after commit.
func (a *arena) add(read []byte) string {
	if len(read) > len(a.block)-a.used {
		a.block, a.used = make([]byte, max(arenaBlock, len(read))), 0
	}
	n := copy(a.block[a.used:], read)
	return textIn(a.block[a.used : a.used+n])
}

// commit keeps the text that was added last, of so many bytes.
func (a *arena) commit(size int) { a.used += size }

// recycle gives back the memory of a chunk of which nothing is kept.
func (c *pool) recycle(p chunk) {
	if p.memory == nil {
		return
	}
	select {
	case c.free <- p.memory:
	default:
	}
}
