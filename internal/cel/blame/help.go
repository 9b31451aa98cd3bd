package blame

import (
	"strconv"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Place returns the place that a violation marks for an operand. For an absent operand, this is the null
// that the API server drops, or the head of the node that lacks it.
func (o Operand) Place() source.Place {
	if null, ok := o.null(); ok {
		return null.Place()
	}
	if o.IsAbsent {
		return o.Node.HeadPlace()
	}
	return o.Node.Place()
}

// null returns the null that is the reason why an operand is absent: the API server drops it.
func (o Operand) null() (manifest.Node, bool) {
	if !o.IsAbsent || o.Node.Type() != manifest.Map || len(o.Missing) != 1 || o.Missing[0].IsItem {
		return manifest.Node{}, false
	}
	return o.Node.DroppedNull(o.Missing[0].Name)
}

// MaxNamed is the maximum number of operands that a help line names. The line should be short enough to read.
const MaxNamed = 4

// Help describes the operands: their values and where they are.
func Help(operands []Operand) string {
	var parts []string
	for _, o := range operands {
		if o.IsOld || len(parts) == MaxNamed {
			continue
		}
		null, isNull := o.null()
		switch {
		case isNull:
			parts = append(parts, pathText(o)+" is null, at "+placeText(null.Place()))
		case o.IsAbsent:
			parts = append(parts, pathText(o)+" is not set")
		case o.Node.Defaulted():
			parts = append(parts, pathText(o)+" is "+ValueText(o.Node)+" by default")
		default:
			parts = append(parts, pathText(o)+" is "+ValueText(o.Node)+", at "+placeText(o.Node.Place()))
		}
	}
	return strings.Join(parts, "; ")
}

// placeText is the line and column of a place. If a program made the text, they are those of the file where it was
// written, and follow its name.
func placeText(p source.Place) string {
	p.Detach()
	at := strconv.Itoa(p.Start().Line) + ":" + strconv.Itoa(p.Start().Column)
	if p.IsMoved() {
		return p.File + ":" + at
	}
	return at
}

// pathText is the path of an operand in the document, never the name of a variable of the rule.
func pathText(o Operand) string {
	if path := o.Path(); len(path) > 0 {
		return path.String()
	}
	return "the value"
}

// maxValue is the maximum number of characters of a value that a message repeats. Longer ones would hide the rest of
// the message, and the excerpt shows them.
const maxValue = 60

// ValueText describes a value in a few characters.
func ValueText(n manifest.Node) string {
	switch n.Type() {
	case manifest.Map:
		return "an object with " + diag.Count(n.Len(), "field")
	case manifest.List:
		return "a list with " + diag.Count(n.Len(), "item")
	}
	text := string(n.AppendJSON(nil))
	if n.Type() == manifest.Float && !n.Defaulted() {
		text = n.Raw() // 1.0 is not the same as 1 to a rule
	}
	return diag.Cut(text, maxValue)
}
