package library

import (
	"fmt"
	"net/netip"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// IP returns the functions of IP addresses, such as ip and isLoopback (k8s.io/apiserver, cel/library/ip.go).
func IP() cel.EnvOption {
	ip := apiservercel.IPType
	is := func(name, overload string, f func(netip.Addr) bool) cel.EnvOption {
		return method(name, overload, cel.BoolType,
			unary(func(a netip.Addr) ref.Val { return types.Bool(f(a)) }), ip)
	}
	return newLibrary("kubernetes.net.ip",
		cel.Types(ip),
		global("ip", "string_to_ip", ip, unary(parseIP), cel.StringType),
		method("family", "ip_family", cel.IntType, unary(family), ip),
		global("ip.isCanonical", "ip_is_canonical", cel.BoolType, unary(isCanonicalIP), cel.StringType),
		is("isUnspecified", "ip_is_unspecified", netip.Addr.IsUnspecified),
		is("isLoopback", "ip_is_loopback", netip.Addr.IsLoopback),
		is("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
		is("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
		is("isGlobalUnicast", "ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
		global("isIP", "is_ip", cel.BoolType, unary(isIP), cel.StringType),
		global("string", "ip_to_string", cel.StringType, unary(textOf[netip.Addr]), ip),
	)
}

// CIDR returns the functions of CIDRs, such as cidr and containsIP (k8s.io/apiserver, cel/library/cidr.go).
func CIDR() cel.EnvOption {
	ip, cidr := apiservercel.IPType, apiservercel.CIDRType
	withText := []*cel.Type{cidr, cel.StringType}
	return newLibrary("kubernetes.net.cidr",
		cel.Types(cidr),
		global("cidr", "string_to_cidr", cidr, unary(parseCIDR), cel.StringType),
		cel.Function("containsIP",
			cel.MemberOverload("cidr_contains_ip_string", withText, cel.BoolType, binary(containsIPText)),
			cel.MemberOverload("cidr_contains_ip_ip", []*cel.Type{cidr, ip}, cel.BoolType, binary(containsIP))),
		cel.Function("containsCIDR",
			cel.MemberOverload("cidr_contains_cidr_string", withText, cel.BoolType, binary(containsCIDRText)),
			cel.MemberOverload("cidr_contains_cidr", []*cel.Type{cidr, cidr}, cel.BoolType, binary(containsCIDR))),
		method("ip", "cidr_ip", ip, unary(addressOf), cidr),
		method("prefixLength", "cidr_prefix_length", cel.IntType, unary(prefixLength), cidr),
		method("masked", "cidr_masked", cidr, unary(masked), cidr),
		global("isCIDR", "is_cidr", cel.BoolType, unary(isCIDR), cel.StringType),
		global("string", "cidr_to_string", cel.StringType, unary(textOf[netip.Prefix]), cidr),
	)
}

func textOf[T fmt.Stringer](v T) ref.Val { return types.String(v.String()) }

// addrOf parses an IP address (k8s.io/apiserver, cel/library.parseIPAddr).
func addrOf(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return netip.Addr{}, fmt.Errorf("IP Address %q parse error during conversion from string: %v", text, err)
	case a.Zone() != "":
		return netip.Addr{}, fmt.Errorf("IP address %q with zone value is not allowed", text)
	case a.Is4In6():
		return netip.Addr{}, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", text)
	}
	return a, nil
}

func parseIP(text string) ref.Val {
	a, err := addrOf(text)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return apiservercel.IP{Addr: a}
}

func isIP(text string) ref.Val {
	_, err := addrOf(text)
	return types.Bool(err == nil)
}

func isCanonicalIP(text string) ref.Val {
	a, err := addrOf(text)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return types.Bool(a.String() == text)
}

func family(a netip.Addr) ref.Val {
	switch {
	case a.Is4():
		return types.Int(4)
	case a.Is6():
		return types.Int(6)
	}
	return types.NewErr("IP address %q is not an IPv4 or IPv6 address", a.String())
}

// prefixOf parses a CIDR (k8s.io/apiserver, cel/library.parseCIDR).
func prefixOf(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return netip.Prefix{}, fmt.Errorf("network address parse error during conversion from string: %v", err)
	case p.Addr().Is4In6():
		return netip.Prefix{}, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", text)
	}
	return p, nil
}

func parseCIDR(text string) ref.Val {
	p, err := prefixOf(text)
	if err != nil {
		return types.NewErr("network address parse error during conversion from string: %v", err)
	}
	return apiservercel.CIDR{Prefix: p}
}

func isCIDR(text string) ref.Val {
	_, err := prefixOf(text)
	return types.Bool(err == nil)
}

func addressOf(p netip.Prefix) ref.Val { return apiservercel.IP{Addr: p.Addr()} }

func prefixLength(p netip.Prefix) ref.Val { return types.Int(p.Bits()) }

func masked(p netip.Prefix) ref.Val { return apiservercel.CIDR{Prefix: p.Masked()} }

func containsIP(p netip.Prefix, a netip.Addr) ref.Val { return types.Bool(p.Contains(a)) }

// containsIPText does not say why it cannot parse the address. Upstream loses the reason.
func containsIPText(p netip.Prefix, text string) ref.Val {
	a, err := addrOf(text)
	if err != nil {
		return types.NoSuchOverloadErr()
	}
	return containsIP(p, a)
}

func containsCIDR(p, other netip.Prefix) ref.Val {
	return types.Bool(p.Overlaps(other) && p.Bits() <= other.Bits())
}

func containsCIDRText(p netip.Prefix, text string) ref.Val {
	parsed := parseCIDR(text)
	other, ok := parsed.Value().(netip.Prefix)
	if !ok {
		return parsed
	}
	return containsCIDR(p, other)
}
