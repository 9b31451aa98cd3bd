package native

import (
	"net/netip"

	"github.com/kindvet/kindvet/internal/formats"
)

// isPartOfCIDR(part, cidr) reports whether a CIDR is inside another one, and smaller. Both have the format lax-cidr, and an
// IPv4 address may be mapped to IPv6. The lengths of the prefixes are compared as they are written
// (k8s.io/kubernetes, pkg/apis/networking/validation.ValidateIPBlock).
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
	return Bool(unmapped(w).Contains(unmapped(p).Addr()) && w.Bits() < p.Bits())
}

// unmapped returns a network of IPv4 that is mapped to IPv6 as one of IPv4.
func unmapped(p netip.Prefix) netip.Prefix {
	if !p.Addr().Is4In6() {
		return p
	}
	return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
}
