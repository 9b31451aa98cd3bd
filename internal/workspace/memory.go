package workspace

import "unsafe"

// A run reuses the memory of texts, because most results do not refer to their text. A stream of any length needs the
// memory of a few chunks, and small files share one block.
//
// A text in such memory is valid until its memory is reused. That happens only after the check has returned, and only
// if [check.Result.KeepsText] is false: then the result does not refer to the text.
//
// Everything else that outlives a text is a copy: the secrets and records of a result, the kinds in a [check.Memory],
// and the keys of caches. Tests in package check verify this for each field.
//
// No other code makes strings from memory that changes.
//
// textIn returns memory as a string without copying it.
func textIn(memory []byte) string { return unsafe.String(unsafe.SliceData(memory), len(memory)) }

// arena stores texts one after another in blocks of memory. A text that was not committed is overwritten by the next
// one.
type arena struct {
	block []byte
	used  int
}

const arenaBlock = 64 << 10

// add copies bytes and returns them as a string. The string is valid until the next call or, after commit,
// permanently.
func (a *arena) add(read []byte) string {
	if len(read) > len(a.block)-a.used {
		a.block, a.used = make([]byte, max(arenaBlock, len(read))), 0
	}
	n := copy(a.block[a.used:], read)
	return textIn(a.block[a.used : a.used+n])
}

// commit keeps the last added text, which has size bytes.
func (a *arena) commit(size int) { a.used += size }
