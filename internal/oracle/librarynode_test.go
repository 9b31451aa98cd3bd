package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
)

// node is an argument whose cost is estimated.
type node struct {
	path []string
	t    *types.Type
	expr ast.Expr
	size *checker.SizeEstimate
}

func (n *node) Path() []string                      { return n.path }
func (n *node) Type() *types.Type                   { return n.t }
func (n *node) Expr() ast.Expr                      { return n.expr }
func (n *node) ComputedSize() *checker.SizeEstimate { return n.size }
func (n *node) String() string                      { return fmt.Sprint(n.path, n.t, n.size) }

// guess estimates sizes by path.
type guess struct{}

func (guess) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	switch path := n.Path(); {
	case len(path) == 0:
		return nil
	case slices.Contains(path, "@items"):
		return &checker.SizeEstimate{Min: 2, Max: 11}
	default:
		return &checker.SizeEstimate{Min: 1, Max: 1000}
	}
}

func (guess) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// drawNodes returns arguments of an overload. They have the types of our declaration and of upstream's.
func drawNodes(random *rand.Rand, ours, theirs *decls.OverloadDecl) (have, want []checker.AstNode) {
	of := map[string][2]*types.Type{}
	for i := range theirs.ArgTypes() {
		// A type parameter stands for any type, the same one wherever it appears.
		h, w := ours.ArgTypes()[i], theirs.ArgTypes()[i]
		if w.Kind() == types.TypeParamKind {
			if _, ok := of[w.TypeName()]; !ok {
				of[w.TypeName()] = drawType(random)
			}
			h, w = of[w.TypeName()][0], of[w.TypeName()][1]
		}
		n := node{t: h, expr: drawExpr(random), size: drawSize(random)}
		if random.IntN(2) == 0 {
			n.path = []string{"self", "list"}[:random.IntN(3)]
		}
		other := n
		other.t = w
		have, want = append(have, &n), append(want, &other)
	}
	return have, want
}

func drawSize(random *rand.Rand) *checker.SizeEstimate {
	limits := []uint64{0, 0, 1, 2, 3, 10, 64, 1000, 1 << 40, 1<<64 - 1}
	if random.IntN(3) == 0 {
		return nil
	}
	a, b := limits[random.IntN(len(limits))], limits[random.IntN(len(limits))]
	return &checker.SizeEstimate{Min: min(a, b), Max: max(a, b)}
}

func drawExpr(random *rand.Rand) ast.Expr {
	f := ast.NewExprFactory()
	switch random.IntN(3) {
	case 0:
		return f.NewLiteral(1, types.Int(random.IntN(5)-1))
	case 1:
		return f.NewLiteral(1, types.String("text"))
	}
	return f.NewIdent(1, "self")
}

// split divides the arguments of an overload. A method has its first argument as the target. It is sometimes missing,
// as are the last arguments.
func split(random *rand.Rand, o *decls.OverloadDecl, nodes []checker.AstNode) (*checker.AstNode, []checker.AstNode) {
	if o.IsMemberFunction() && random.IntN(20) > 0 {
		return &nodes[0], nodes[1:]
	}
	return nil, nodes
}

func describeEstimate(e *checker.CallEstimate) string {
	if e == nil {
		return "none"
	}
	return fmt.Sprint(e.CostEstimate, e.ResultSize)
}
