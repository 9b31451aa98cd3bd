package kustomize

import (
	"fmt"
	"math"
	"strings"
)

// Limits of a build. They are far above what repositories have: the largest of several hundred public kustomizations
// loads 30 kustomizations and 5 MB.
const (
	maxDepth  = 50        // kustomizations inside of each other
	maxLoads  = 2_000     // kustomizations, each as often as it is loaded
	maxBytes  = 32 << 20  // of all files, each as often as it is loaded
	maxGrowth = 256 << 20 // of what kustomizations may add to the objects of others
)

// cost is an estimate of what it takes to build a layer, with everything below it.
type cost struct{ loads, bytes, documents, growth int }

// costOf adds the costs of the bases of a layer to its own. Each field and patch of the layer may change each object.
func costOf(l *layer) cost {
	c := cost{loads: 1, bytes: l.bytes + len(l.src.Text), documents: l.documents}
	for _, b := range l.bases {
		c.loads = sum(c.loads, b.cost.loads)
		c.bytes = sum(c.bytes, b.cost.bytes)
		c.documents = sum(c.documents, b.cost.documents)
		c.growth = sum(c.growth, b.cost.growth)
	}
	own := len(l.src.Text)
	for _, p := range l.patches {
		if p.target != nil {
			own += len(p.doc.src.Text)
		}
	}
	if c.documents > 0 && own > math.MaxInt32/c.documents {
		own = math.MaxInt32 / c.documents
	}
	c.growth = sum(c.growth, c.documents*own)
	return c
}

// sum adds two costs without overflow.
func sum(a, b int) int { return min(a+b, math.MaxInt32) }

// tooLarge returns why a layer is not built.
func (l *layer) tooLarge() *Fault {
	switch c := l.cost; {
	case c.loads > maxLoads:
		return l.fault(place(l.root), fmt.Sprintf("the build loads more than %d kustomizations", maxLoads))
	case c.bytes > maxBytes:
		return l.fault(place(l.root), fmt.Sprintf("the build loads more than %d MiB", maxBytes>>20))
	case c.growth > maxGrowth:
		return l.fault(place(l.root), "the build may add too much to the objects")
	}
	return nil
}

// documentsIn returns about how many objects a text has, or more.
func documentsIn(text string) int { return strings.Count(text, "kind") }
