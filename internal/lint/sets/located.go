package sets

import (
	"bytes"
	"path"
	"path/filepath"
)

// filed are the links of a file, with its directory and the one above it.
type filed struct {
	*links
	directory, parent string
}

func newFiled(l *links) *filed {
	directory := path.Dir(filepath.ToSlash(l.file))
	return &filed{l, directory, path.Join(directory, "..")}
}

// located is a link in its file.
type located struct {
	*filed
	link *link
}

func (x *located) key() parsedKey { return x.link.rule.to.key.parse(x.bytes(x.link.key)) }

// last returns the last part of the key that is not the namespace.
func (x *located) last() (last []byte) {
	k, text := &x.link.rule.to.key, x.bytes(x.link.key)
	for i := 0; len(text) > 0; i++ {
		var part []byte
		if part, text, _ = bytes.Cut(text, nul); i != k.namespace {
			last = part
		}
	}
	return last
}

func (x *located) selector() []byte { return x.bytes(x.link.labels) }

func (x *located) id() uint64 { return x.links.id(x.link) }
