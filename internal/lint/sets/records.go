package sets

import (
	"hash/maphash"
)

// Records are what rules about sets of documents remember about the documents of a file. The zero value has no
// records. Only [Collector.Collect] adds to them. After the last document of the file nothing changes them, so they can
// be kept, and read by several goroutines, as long as the text and the [Rules] that made them stay the same. They do not
// refer to the text.
type Records struct {
	// Hashes of rule and key, one for each document in a group that shares a key.
	members []uint64
	links   links
	// documents says where the documents with records are.
	documents []recorded
}

// recorded is a document with records. hashes and links are the numbers of records of each type up to its last one.
type recorded struct {
	Spot
	hashes, links int
}

// Spot is where a document is in a file. Start and End are offsets in bytes.
type Spot struct {
	Start, End int
	// Item is the index of the document in a list of resources, or -1 if the document is not an item of one.
	Item int
}

// note notes where a document is if it has left records.
func (r *Records) note(at Spot) {
	now, before := recorded{at, len(r.members), len(r.links.list)}, recorded{}
	if last := len(r.documents) - 1; last >= 0 {
		before = r.documents[last]
	}
	if now.hashes > before.hashes || now.links > before.links {
		r.documents = append(r.documents, now)
	}
}

// None reports whether there are no records.
func (r *Records) None() bool { return len(r.members) == 0 && len(r.links.list) == 0 }

// links are the references, targets and providers in a file.
type links struct {
	list []link
	// text holds keys and labels. In the second pass, it is only used to compute hashes.
	text []byte
	file string // its name
	// isComplete means that the targets of all references must be among the files. isAll means that references to
	// targets that may be outside of the files are reported.
	isComplete, isAll bool
}

// link is a reference, the target of one, or a name that an object provides.
type link struct {
	rule        *setRule // nil for a provider
	key, labels span     // labels are alternating keys and values
	role        role
}

type role uint8

const (
	aReference role = iota
	aTarget
	aProvider
)

// span is a part of the text of links.
type span struct{ from, to uint32 }

func (l *links) bytes(s span) []byte { return l.text[s.from:s.to] }

// add adds a text to that of the links.
func (l *links) add(text []byte) span {
	from := len(l.text)
	l.text = append(l.text, text...)
	return span{uint32(from), uint32(len(l.text))}
}

// id returns the hash by which a reference or a target is found again in the second pass.
func (l *links) id(x *link) uint64 {
	salt := x.rule.salt
	if x.role == aTarget {
		salt = x.rule.to.salt
	}
	return mix(mix(mix(salt, hashOf(l.bytes(x.key))), hashOf(l.bytes(x.labels))), maphash.String(hashSeed, l.file))
}

// Provided returns the records of an object that a file provides without containing it.
func Provided(file, kind, name string) (r Records) {
	r.links.file = file
	r.links.list = []link{{key: r.links.add(providedKey(nil, kind, []byte(name))), role: aProvider}}
	return r
}
