package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"path"
	"strings"
)

// fileMode is the mode of a regular file, without permissions.
const fileMode = 0o100000

// The flags of an entry of the git index (gitformat-index).
const (
	flagAssumeUnchanged = 1 << 15
	flagExtended        = 1 << 14
	flagStage           = 3 << 12
	flagSkipWorktree    = 1 << 14 // these two are in the extended flags
	flagIntentToAdd     = 1 << 13
)

// parseIndex returns the entries of a git index, sorted by name, that are regular files and have stat data which git uses
// itself. attributes are the names of all files of attributes. It returns false if anything about the index is unusual, such
// as a part of it in another file.
func parseIndex(text string) (entries []statEntry, attributes map[string]bool, ok bool) {
	const head = 12 // "DIRC", version, number of entries
	if len(text) < head || text[:4] != "DIRC" {
		return nil, nil, false
	}
	for _, h := range [...]hash.Hash{sha1.New(), sha256.New()} { // the index does not say which
		rest, ok := withoutSum(text, h)
		if !ok || len(rest) < head {
			continue
		}
		p := indexParser{text: rest[head:], version: number(text[4:]), hash: h.Size(), attributes: map[string]bool{}}
		if entries, ok := p.entries(int(number(text[8:]))); ok {
			return entries, p.attributes, true
		}
	}
	return nil, nil, false
}

// withoutSum returns an index without the hash at its end; false if it has another one. With index.skipHash, git writes
// zeros.
func withoutSum(text string, h hash.Hash) (string, bool) {
	end := len(text) - h.Size()
	if end < 0 {
		return "", false
	}
	io.WriteString(h, text[:end])
	sum := text[end:]
	return text[:end], sum == string(h.Sum(nil)) || strings.Trim(sum, "\x00") == ""
}

func number(text string) uint32 { return binary.BigEndian.Uint32([]byte(text[:4])) }

// indexParser reads the entries of an index with hashes of a given size.
type indexParser struct {
	text    string // the rest
	version uint32
	hash    int
	name    string // of the previous entry
	shared  int    // total bytes of the names that do not stand in the text as a whole

	attributes map[string]bool
}

func (p *indexParser) entries(count int) (list []statEntry, ok bool) {
	const least = 40 + 20 + 2 // bytes of an entry, without its name
	if p.version < 2 || p.version > 4 || count > len(p.text)/least {
		return nil, false
	}
	list = make([]statEntry, 0, count)
	for range count {
		e, isUsed, ok := p.entry()
		if !ok {
			return nil, false
		}
		if isUsed {
			list = append(list, e)
		}
	}
	return list, p.extensions()
}

// entry reads an entry. isUsed is false for one that is not a file, or whose stat data git does not use.
func (p *indexParser) entry() (e statEntry, isUsed, ok bool) {
	fixed := 40 + p.hash + 2
	if len(p.text) < fixed {
		return e, false, false
	}
	field := func(i int) uint32 { return number(p.text[4*i:]) }
	mode := field(6)
	e.stat = stat{
		ctime: field(0), ctimeNano: field(1), mtime: field(2), mtimeNano: field(3),
		ino: field(5), uid: field(7), gid: field(8), size: field(9),
	}
	e.object = p.text[40 : 40+p.hash]
	flags := uint16(p.text[fixed-2])<<8 | uint16(p.text[fixed-1])
	isUsed = mode&^0o777 == fileMode && flags&(flagAssumeUnchanged|flagStage) == 0
	if flags&flagExtended != 0 {
		if p.version == 2 || len(p.text) < fixed+2 {
			return e, false, false
		}
		isUsed = isUsed && uint16(p.text[fixed])<<8&(flagSkipWorktree|flagIntentToAdd) == 0
		fixed += 2
	}
	if e.name, ok = p.readName(fixed); !ok || e.name < p.name {
		return e, false, false
	}
	if p.name = e.name; path.Base(e.name) == attributesFile {
		p.attributes[e.name] = true
	}
	return e, isUsed, true
}

// mostShared limits the memory of names in version 4, where each may repeat most of a long one. Raise it if the index
// of a real repository is rejected.
const mostShared = 256 << 20

// readName reads the name of an entry after its fixed part, and the padding.
func (p *indexParser) readName(fixed int) (string, bool) {
	rest := p.text[fixed:]
	prefix := ""
	if p.version == 4 { // how many bytes of the previous name to drop, as in the offset of a delta of a pack
		drop, n := 0, 0
		for more := true; more; n++ {
			if n == len(rest) || n > 4 {
				return "", false
			}
			if n > 0 {
				drop++
			}
			drop = drop<<7 | int(rest[n]&0x7f)
			more = rest[n]&0x80 != 0
		}
		if drop > len(p.name) {
			return "", false
		}
		prefix, rest = p.name[:len(p.name)-drop], rest[n:]
	}
	end := strings.IndexByte(rest, 0)
	if end < 0 {
		return "", false
	}
	length := len(p.text) - len(rest) + end + 1
	if p.version < 4 { // each entry is a multiple of eight bytes
		length = (length + 7) &^ 7
	}
	if length > len(p.text) {
		return "", false
	}
	p.text = p.text[length:]
	if p.shared += len(prefix); p.shared > mostShared {
		return "", false
	}
	return prefix + rest[:end], true
}

// extensions reports whether the rest of the index has only extensions that do not change its entries.
func (p *indexParser) extensions() bool {
	const head = 8 // signature and size
	for len(p.text) > 0 {
		if len(p.text) < head {
			return false
		}
		size := int(number(p.text[4:]))
		// A capital letter begins the name of an extension that may be ignored. "sdir" allows entries for directories.
		isOptional := p.text[0] >= 'A' && p.text[0] <= 'Z' || p.text[:4] == "sdir"
		if !isOptional || size > len(p.text)-head {
			return false
		}
		p.text = p.text[head+size:]
	}
	return true
}
