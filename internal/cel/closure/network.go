package closure

import (
	"net/netip"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Networks follow the Kubernetes library (k8s.io/apiserver, cel/library/cidr.go). All but the most common functions
// are passed on to that library.

// network compiles the network functions that many rules use. It returns nil for all other calls.
func (c *compiler) network(e *expression) code {
	var known func(f *Frame, v value) (value, bool)
	switch e.overload {
	case "is_cidr":
		known = func(f *Frame, v value) (value, bool) {
			_, ok := f.parseNetwork(v)
			return booleanOf(ok), v.kind == kindString
		}
	case "is_ip":
		known = func(f *Frame, v value) (value, bool) {
			f.spend(len(v.text)/8 + 1)
			a, err := netip.ParseAddr(v.text)
			return booleanOf(err == nil && a.Zone() == "" && !a.Is4In6()), v.kind == kindString
		}
	case "string_to_cidr":
		known = func(f *Frame, v value) (value, bool) {
			p, ok := f.parseNetwork(v)
			if !ok {
				return value{}, v.kind == kindString
			}
			return f.networkOf(p), true
		}
	case "cidr_prefix_length":
		known = func(f *Frame, v value) (value, bool) {
			if v.kind != kindNetwork {
				return value{}, false
			}
			return integerOf(int64(f.networks[v.bits].Bits())), true
		}
	case "cidr_masked":
		known = func(f *Frame, v value) (value, bool) {
			if v.kind != kindNetwork {
				return value{}, false
			}
			return f.networkOf(f.networks[v.bits].Masked()), true
		}
	default:
		return nil
	}
	c.cost += costOfStep
	of, _ := c.code(e.args[0])
	library := newLibraryCall(e)
	return func(f *Frame) value {
		v := of(f)
		if result, ok := known(f, v); ok {
			return result
		}
		return library.call(f, v)
	}
}

// parseNetwork parses a string as a network.
func (f *Frame) parseNetwork(v value) (netip.Prefix, bool) {
	if v.kind != kindString {
		return netip.Prefix{}, false
	}
	f.spend(len(v.text)/8 + 1)
	p, err := netip.ParsePrefix(v.text)
	return p, err == nil && !p.Addr().Is4In6()
}

func (f *Frame) networkOf(p netip.Prefix) value {
	f.networks = append(f.networks, p)
	return value{kind: kindNetwork, bits: uint64(len(f.networks) - 1)}
}

// celNetwork converts a network to the type that cel-go uses.
func (f *Frame) celNetwork(v value) apiservercel.CIDR {
	return apiservercel.CIDR{Prefix: f.networks[v.bits]}
}
