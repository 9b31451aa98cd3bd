package builtin

import (
	"context"
	"net"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/admission"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
)

// The types in this file replace what a cluster knows and a manifest does not state: which addresses and ports are
// free, and which namespaces exist. They allow everything that some cluster allows.

// addresses is an allocator of one IP family to which every address belongs.
type addresses struct {
	family api.IPFamily
	next   net.IP
	block  net.IPNet
}

func newAddresses(family api.IPFamily, cidr string) addresses {
	ip, block, err := net.ParseCIDR(cidr)
	if err != nil {
		panic(err)
	}
	return addresses{family: family, next: ip, block: *block}
}

func (a addresses) Allocate(net.IP) error         { return nil }
func (a addresses) AllocateNext() (net.IP, error) { return a.next, nil }
func (a addresses) Release(net.IP) error          { return nil }
func (a addresses) ForEach(func(net.IP))          {}
func (a addresses) CIDR() net.IPNet               { return a.block }
func (a addresses) IPFamily() api.IPFamily        { return a.family }
func (a addresses) Has(net.IP) bool               { return false }
func (a addresses) Destroy()                      {}
func (a addresses) EnableMetrics()                {}
func (a addresses) DryRun() ipallocator.Interface { return a }

// nodePorts is an allocator to which every port in its range is free.
type nodePorts struct {
	utilnet.PortRange
	next *atomic.Int64 // allocated ports differ, because a Service may have several
}

func (n nodePorts) Allocate(port int) error {
	if !n.Contains(port) {
		return &portallocator.ErrNotInRange{ValidPorts: n.String()}
	}
	return nil
}

func (n nodePorts) AllocateNext() (int, error) { return n.Base + int(n.next.Add(1))%n.Size, nil }
func (n nodePorts) Release(int) error          { return nil }
func (n nodePorts) ForEach(func(int))          {}
func (n nodePorts) Has(int) bool               { return false }
func (n nodePorts) Destroy()                   {}
func (n nodePorts) EnableMetrics()             {}

// namespaces returns every namespace, with the label that allows ResourceClaims with admin access.
type namespaces struct {
	corev1client.NamespaceInterface
}

func (namespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	labels := map[string]string{"resource.kubernetes.io/admin-access": "true"}
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, nil
}

// reader is an admission plugin that supplies the resource version of an update, which a client knows from having
// read the object.
type reader struct{}

func (reader) Handles(o admission.Operation) bool { return o == admission.Update }

func (reader) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	obj, err := meta.Accessor(a.GetObject())
	if err != nil {
		return err
	}
	old, err := meta.Accessor(a.GetOldObject())
	if err != nil {
		return err
	}
	if obj.GetResourceVersion() == "" {
		obj.SetResourceVersion(old.GetResourceVersion())
	}
	return nil
}
