package workspace

import (
	"bytes"
	"io"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// chunkSize is how many bytes of a file are read at once. A stream of any length therefore needs the memory of only a
// few chunks.
const chunkSize = 512 << 10

// mostAtOnce is the size of a file that is read at once if its first document does not end in the first chunk. Most
// likely, it has no other. The largest manifest of 29 public repositories has 3.7 MB.
const mostAtOnce = 32 << 20

// cutMark is where a stream may be cut. kubectl ends a document at every line that starts with three dashes, even in
// the middle of a value (k8s.io/apimachinery, util/yaml.splitYAMLDocument).
var cutMark = []byte("\n---")

// chunks cuts a long stream into chunks of whole documents. JSON cannot be cut and is one chunk.
type chunks struct {
	size   int // of a chunk, unless a single document is longer
	limit  int // of a document; a longer one is cut, and its rest is skipped
	total  int // expected size of the stream; 0 if unknown
	in     io.Reader
	name   string
	memory []byte // the last bytes that were read
	rest   []byte // the part of memory that is not yet in a chunk
	line   int    // the line that rest starts on
	offset int    // offset of rest in the stream
	json   bool
	free   chan []byte // memory of chunks that is no longer in use
	err    error       // why reading has ended: io.EOF or an error
}

// newChunks continues a stream whose start has been read. If free has memory, chunks use it.
func newChunks(name string, start []byte, in io.Reader, free chan []byte) *chunks {
	json := filepath.Ext(name) == ".json" || bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \t\r\n"), []byte("{"))
	return &chunks{
		size: len(start), limit: manifest.MaxPart, in: in, name: name, rest: bytes.Clone(start), line: 1, json: json,
		free: free,
	}
}

// next returns the next chunk, and the memory that holds it; nil if it is not reused. After the last chunk it returns
// io.EOF or the error that ended the stream early.
func (p *chunks) next() (src *source.Source, memory []byte, err error) {
	for p.err == nil {
		if cut := p.lastCut(); cut > 0 {
			src, memory = p.take(cut)
			p.read()
			return src, memory, nil
		}
		if len(p.rest) > p.limit {
			src, memory = p.take(len(p.rest))
			p.skip()
			return src, memory, nil
		}
		p.read()
	}
	if p.err == io.EOF && len(p.rest) > 0 {
		src, memory = p.take(len(p.rest))
		return src, memory, nil
	}
	return nil, nil, p.err
}

// lastCut returns where the last document in rest starts; 0 if rest has only one document.
func (p *chunks) lastCut() int {
	if p.json {
		return 0
	}
	return bytes.LastIndex(p.rest, cutMark) + 1
}

// take returns a chunk with the first size bytes of rest.
func (p *chunks) take(size int) (src *source.Source, memory []byte) {
	src = &source.Source{Name: p.name, Text: textIn(p.rest[:size]), FirstLine: p.line, FirstByte: p.offset}
	if len(p.memory) == p.size {
		memory = p.memory
	}
	p.drop(size)
	return src, memory
}

// drop removes the first size bytes from rest and counts their lines.
func (p *chunks) drop(size int) {
	p.line += source.CountBreaks(p.rest, size)
	p.offset += size
	p.rest = p.rest[size:]
}

// read appends more of the stream to rest. It first moves rest to new memory, because the bytes before it belong to a
// chunk.
func (p *chunks) read() {
	p.memory = p.newMemory()
	n, err := io.ReadFull(p.in, p.memory[copy(p.memory, p.rest):])
	p.rest, p.err = p.memory[:len(p.rest)+n], err
	if err == io.ErrUnexpectedEOF {
		p.err = io.EOF
	}
}

// newMemory returns memory for a chunk. It is larger than a chunk if rest nearly fills one. If the end of the stream
// is near, it leaves room for one byte after it, so reading finds the end.
func (p *chunks) newMemory() []byte {
	if len(p.rest) > p.size/2 {
		left := p.total - p.offset - len(p.rest)
		if left <= 0 {
			return make([]byte, 2*len(p.rest))
		}
		if len(p.rest)+left > mostAtOnce {
			left = min(left, len(p.rest))
		}
		return make([]byte, max(p.size, len(p.rest)+left+1))
	}
	select {
	case memory := <-p.free:
		return memory
	default:
		return make([]byte, p.size)
	}
}

// skip skips the rest of a document that is too long.
func (p *chunks) skip() {
	for p.err == nil {
		p.read()
		if cut := bytes.Index(p.rest, cutMark) + 1; cut > 0 && !p.json {
			p.drop(cut)
			return
		}
		p.drop(max(len(p.rest)-len(cutMark), 0))
	}
	p.rest = nil
}
