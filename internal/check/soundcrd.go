package check

import (
	"crypto/sha256"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/definition"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
)

// soundCRDs are the CRDs with nothing wrong in their definitions. Several kustomizations build the same CRD, and to
// check one takes ten times as long as to hash it. It is safe for concurrent use.
type soundCRDs struct {
	mutex  sync.Mutex
	hashes map[[sha256.Size]byte]bool
}

// mostSound is the maximum number of CRDs that are remembered. 29 public repositories have at most
// 202. Raise it if one reaches half of it.
const mostSound = 20_000

// definition returns what is wrong in a CRD beyond what the schema of its kind states.
func (c *checker) definition(n, old manifest.Node, d *document) []diag.Violation {
	if d.Kind != "CustomResourceDefinition" || c.file.IsCovered || !catalog.IsDefinition(n) {
		return nil
	}
	if old.Valid() || n.Parent().Valid() { // an alias in the item of a list may mean something else in each list
		return definition.Check(c.engine.options.Allowance, c.engine.options.Catalog.CEL(), n, old)
	}
	sound := c.engine.sound
	hash := sha256.Sum256([]byte(n.Raw()))
	sound.mutex.Lock()
	isSound := sound.hashes[hash]
	sound.mutex.Unlock()
	if isSound {
		return nil
	}
	found := definition.Check(c.engine.options.Allowance, c.engine.options.Catalog.CEL(), n, old)
	sound.mutex.Lock()
	defer sound.mutex.Unlock()
	if len(found) == 0 && len(sound.hashes) < mostSound {
		sound.hashes[hash] = true
	}
	return found
}
