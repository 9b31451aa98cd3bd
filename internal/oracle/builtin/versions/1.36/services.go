package builtin

import (
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	api "k8s.io/kubernetes/pkg/apis/core"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"
)

func newServices(g generic.RESTOptionsGetter, families map[api.IPFamily]ipallocator.Interface,
	ports portallocator.Interface, endpoints *endpointsstore.REST, pods *podstore.REST) (rest.Storage, error) {
	services, _, _, err := servicestore.NewREST(g, api.IPv4Protocol, families, ports, endpoints, pods, nil)
	return services, err
}
