package sets

import (
	"hash/maphash"
)

// The levels at which targets count as close to a reference. A target is near if its file is in the same directory,
// in one directly above or below it, or in another one next to it.
const (
	levelRun uint64 = iota + 1
	levelNear
	levelDirectory
	levelFile
)

// levels are the levels that rules name.
var levels = map[string]uint64{"run": levelRun, "directory": levelDirectory, "file": levelFile}

// nameScope returns the hash of what names must have in common to be compared: all of the key but its last part and
// the namespace.
func nameScope(to *definition, p *parsedKey) uint64 { return mix(to.salt, p.scope) }

// scope returns the hash of the targets in a namespace with the same name scope, at a level.
func (d *dangling) scope(namespace []byte, level uint64) uint64 {
	place := d.directory
	switch level {
	case levelRun:
		place = ""
	case levelFile:
		place = d.file
	}
	return scopeHash(d.link.rule.to, &d.parsed, hashOf(namespace), level, place)
}

func scopeHash(to *definition, p *parsedKey, namespace, level uint64, place string) uint64 {
	return mix(mix(mix(nameScope(to, p), namespace), level), maphash.String(hashSeed, place))
}

// nearby returns the hashes of the targets that are near a reference and may have the same namespace: those in its
// file, those in its directory, and all.
func (d *dangling) nearby() (hashes []uint64) {
	namespaces := []uint64{hashOf(d.parsed.namespace), hashOf(nil)}
	if len(d.parsed.namespace) == 0 {
		namespaces = []uint64{anyNamespace}
	}
	add := func(level uint64, place string) {
		for _, namespace := range namespaces {
			hashes = append(hashes, scopeHash(d.link.rule.to, &d.parsed, namespace, level, place))
		}
	}
	add(levelFile, d.file)
	add(levelDirectory, d.directory)
	add(levelNear, d.directory)
	add(levelNear, d.parent)
	return hashes
}

// scopesOf returns the hashes under which a target is found.
func scopesOf(x *located, p *parsedKey) []uint64 {
	to, own := x.link.rule.to, hashOf(p.namespace)
	hashes := append(make([]uint64, 0, 9), scopeHash(to, p, own, levelRun, ""))
	for _, namespace := range []uint64{own, anyNamespace} {
		hashes = append(hashes,
			scopeHash(to, p, namespace, levelFile, x.file), scopeHash(to, p, namespace, levelDirectory, x.directory),
			scopeHash(to, p, namespace, levelNear, x.directory), scopeHash(to, p, namespace, levelNear, x.parent))
	}
	return hashes
}

// isNear reports whether a target is near a reference and may be in the same namespace.
func (d *dangling) isNear(x *located, p *parsedKey) bool {
	return (x.directory == d.directory || x.directory == d.parent || x.parent == d.directory || x.parent == d.parent) &&
		agree(p.namespace, d.parsed.namespace)
}
