package run

import (
	"bytes"
	"io"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// chunkSize is how many bytes of a file are read at once: a long stream costs the memory of a few chunks, whatever
// its length.
const chunkSize = 512 << 10

// cutMark is where a stream may be cut: kubectl takes every line that starts with three dashes for the end of a
// document, whatever the document is in the middle of (k8s.io/apimachinery, util/yaml.splitYAMLDocument).
var cutMark = []byte("\n---")

// chunks cuts a long stream into chunks of whole documents. JSON has no mark to cut at, and is one chunk.
type chunks struct {
	size   int // of a chunk, unless a document is longer
	limit  int // of a document; what is longer is handed out cut, and the rest of it skipped
	in     io.Reader
	name   string
	memory []byte // what was read last
	rest   []byte // the part of it that is not yet part of a chunk
	line   int    // the line that rest starts on
	offset int    // of rest in the stream
	json   bool
	free   chan []byte // memory of chunks that nothing refers to any longer
	err    error       // why nothing more can be read: io.EOF at the end
}

// newChunks goes on with a stream of which the start has been read. free is where the memory of chunks comes from, if
// there is any.
func newChunks(name string, start []byte, in io.Reader, free chan []byte) *chunks {
	json := filepath.Ext(name) == ".json" || bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \t\r\n"), []byte("{"))
	return &chunks{size: len(start), limit: manifest.MaxPart, in: in, name: name, rest: bytes.Clone(start), line: 1, json: json, free: free}
}

// next returns the next chunk; after the last, io.EOF or what kept the stream from being read to its end.
func (p *chunks) next() (chunk, error) {
	for p.err == nil {
		if cut := p.lastCut(); cut > 0 {
			next := p.take(cut)
			p.read()
			return next, nil
		}
		if len(p.rest) > p.limit {
			next := p.take(len(p.rest))
			p.skip()
			return next, nil
		}
		p.read()
	}
	if p.err == io.EOF && len(p.rest) > 0 {
		return p.take(len(p.rest)), nil
	}
	return chunk{}, p.err
}

// lastCut returns where the last document in rest starts, 0 where there is but one.
func (p *chunks) lastCut() int {
	if p.json {
		return 0
	}
	return bytes.LastIndex(p.rest, cutMark) + 1
}

// take makes a chunk of the first bytes of rest.
func (p *chunks) take(size int) chunk {
	next := chunk{src: &source.Source{Name: p.name, Text: textIn(p.rest[:size]), FirstLine: p.line, FirstByte: p.offset}}
	if len(p.memory) == p.size {
		next.memory = p.memory
	}
	p.drop(size)
	return next
}

// drop moves the start of rest, and counts the lines before it.
func (p *chunks) drop(size int) {
	p.line += source.CountBreaks(p.rest, size)
	p.offset += size
	p.rest = p.rest[size:]
}

// read reads more of the stream after rest, which moves to memory of its own: the bytes before it belong to a chunk.
func (p *chunks) read() {
	p.memory = p.newMemory()
	n, err := io.ReadFull(p.in, p.memory[copy(p.memory, p.rest):])
	p.rest, p.err = p.memory[:len(p.rest)+n], err
	if err == io.ErrUnexpectedEOF {
		p.err = io.EOF
	}
}

// newMemory returns memory for a chunk: twice that of rest, if that alone is nearly one.
func (p *chunks) newMemory() []byte {
	if len(p.rest) > p.size/2 {
		return make([]byte, 2*len(p.rest))
	}
	select {
	case memory := <-p.free:
		return memory
	default:
		return make([]byte, p.size)
	}
}

// skip reads over what is left of a document that is too long to be read.
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
