package native

import "github.com/kindvet/kindvet/internal/formats"

// isPartOfCIDR(part, cidr) reports whether a CIDR is inside another one, and smaller. Both have the format lax-cidr, and an
// IPv4 address may be mapped to IPv6 (k8s.io/kubernetes, pkg/apis/networking/validation.ValidateIPBlock).
func isPartOfCIDR(_ *Meter, args []Value) Value {
	part, whole := args[0].orText(), args[1].orText()
	if part.Kind != String || whole.Kind != String {
		return Value{}
	}
	p, okPart := formats.ParseLaxCIDR(part.Text)
	w, okWhole := formats.ParseLaxCIDR(whole.Text)
	if !okPart || !okWhole {
		return Value{}
	}
	partBits, _ := p.Mask.Size()
	wholeBits, _ := w.Mask.Size()
	return Bool(w.Contains(p.IP) && wholeBits < partBits)
}
