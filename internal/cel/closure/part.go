package closure

import "github.com/google/cel-go/common/types/ref"

// Part is a part of an expression compiled to closures. Its value may have any type. It is safe for concurrent use.
type Part struct {
	run   code
	slots int
	cost  int64
	named Slots
}

// CompilePart compiles an encoded part of an expression, as [Compile] does.
func CompilePart(encoded string, variables []Variable) (*Part, error) {
	c, e, err := newCompiler(encoded, variables)
	if err != nil {
		return nil, err
	}
	run, _ := c.code(e)
	if c.err != nil {
		return nil, c.err
	}
	return &Part{run: run, slots: c.most, cost: c.cost, named: c.named}, nil
}

// Named returns the variables that the part refers to.
func (p *Part) Named() Slots { return p.named }

// Start prepares a frame for the variables of the part. Set the variables before you call Run. The evaluation ends
// when it has the given cost, which is at most that of a whole expression.
func (p *Part) Start(f *Frame, limit int64) {
	f.reset(p.slots)
	f.cost = maxCost - limit
	f.spend(int(p.cost))
}

// Run evaluates the part with the variables of a frame. It returns false if only cel-go can tell the value, or the
// error. The limit is that of Start.
func (p *Part) Run(f *Frame, limit int64) (v ref.Val, cost int64, ok bool) {
	result := p.run(f)
	if f.unsure || result.kind == kindError || result.kind == kindZero {
		return nil, 0, false
	}
	v = f.cel(result)
	return v, f.cost - (maxCost - limit), !f.unsure
}

// SetValue sets a variable to a value of cel-go.
func (f *Frame) SetValue(variable int, v ref.Val) { f.slots[variable] = f.from(v) }
