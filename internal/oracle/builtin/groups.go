package builtin

import (
	"fmt"
	"sync/atomic"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/client-go/discovery"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	restclient "k8s.io/client-go/rest"
	api "k8s.io/kubernetes/pkg/apis/core"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	admissionregistration "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
	apps "k8s.io/kubernetes/pkg/registry/apps/rest"
	authentication "k8s.io/kubernetes/pkg/registry/authentication/rest"
	authorization "k8s.io/kubernetes/pkg/registry/authorization/rest"
	autoscaling "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batch "k8s.io/kubernetes/pkg/registry/batch/rest"
	coordination "k8s.io/kubernetes/pkg/registry/coordination/rest"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitrangestore "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	volumestore "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	claimstore "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	podtemplatestore "k8s.io/kubernetes/pkg/registry/core/podtemplate/storage"
	controllerstore "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	core "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"
	discoverygroup "k8s.io/kubernetes/pkg/registry/discovery/rest"
	events "k8s.io/kubernetes/pkg/registry/events/rest"
	flowcontrol "k8s.io/kubernetes/pkg/registry/flowcontrol/rest"
	networking "k8s.io/kubernetes/pkg/registry/networking/rest"
	node "k8s.io/kubernetes/pkg/registry/node/rest"
	policy "k8s.io/kubernetes/pkg/registry/policy/rest"
	rbac "k8s.io/kubernetes/pkg/registry/rbac/rest"
	scheduling "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	storagegroup "k8s.io/kubernetes/pkg/registry/storage/rest"
	storagemigration "k8s.io/kubernetes/pkg/registry/storagemigration/rest"
)

// loopback is where the server would find itself. Nothing listens there.
var loopback = &restclient.Config{Host: "http://127.0.0.1:1"}

// provider is a rest.StorageProvider, which is declared in a package that takes long to build.
type provider interface {
	GroupName() string
	NewRESTStorage(serverstorage.APIResourceConfigSource,
		generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error)
}

// groupsOf returns the API groups of kube-apiserver with their registries, except core (k8s.io/kubernetes,
// pkg/controlplane/instance.go, StorageProviders).
func groupsOf(enabled *serverstorage.ResourceConfig,
	g generic.RESTOptionsGetter) ([]*genericapiserver.APIGroupInfo, error) {
	allow := authorizerfactory.NewAlwaysAllowAuthorizer()
	providers := []provider{
		admissionregistration.RESTStorageProvider{
			Authorizer: allow, DiscoveryClient: discovery.NewDiscoveryClientForConfigOrDie(loopback),
		}, apps.StorageProvider{},
		authentication.RESTStorageProvider{},
		authorization.RESTStorageProvider{Authorizer: allow, RuleResolver: noRules{}},
		autoscaling.RESTStorageProvider{},
		batch.RESTStorageProvider{},
		certificatesProvider(),
		coordination.RESTStorageProvider{},
		discoverygroup.StorageProvider{},
		events.RESTStorageProvider{TTL: time.Hour},
		flowcontrol.RESTStorageProvider{},
		networking.RESTStorageProvider{},
		node.RESTStorageProvider{},
		policy.RESTStorageProvider{},
		rbac.RESTStorageProvider{Authorizer: allow},
		resourceProvider(),
		scheduling.RESTStorageProvider{},
		storagegroup.RESTStorageProvider{},
		storagemigration.RESTStorageProvider{},
	}
	var groups []*genericapiserver.APIGroupInfo
	for _, p := range providers {
		group, err := p.NewRESTStorage(enabled, g)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.GroupName(), err)
		}
		if len(group.VersionedResourcesStorageMap) > 0 {
			groups = append(groups, &group)
		}
	}
	return groups, nil
}

// coreGroup returns the core group with its registries. kube-apiserver creates them together with the allocators that
// the server's controllers repair (pkg/registry/core/rest/storage_core.go, NewRESTStorage), so they are created here.
func coreGroup(enabled *serverstorage.ResourceConfig,
	g generic.RESTOptionsGetter) (*genericapiserver.APIGroupInfo, error) {
	group, err := (&core.GenericConfig{EventTTL: time.Hour, LoopbackClientConfig: loopback}).NewRESTStorage(enabled, g)
	if err != nil {
		return nil, err
	}
	resources := group.VersionedResourcesStorageMap["v1"]
	for _, add := range []func(map[string]rest.Storage, generic.RESTOptionsGetter) error{addSimple, addVolumes,
		addPodsAndServices} {
		if err := add(resources, g); err != nil {
			return nil, err
		}
	}
	return &group, nil
}

func addSimple(resources map[string]rest.Storage, g generic.RESTOptionsGetter) error {
	templates, err := podtemplatestore.NewREST(g)
	if err != nil {
		return err
	}
	limits, err := limitrangestore.NewREST(g)
	if err != nil {
		return err
	}
	controllers, err := controllerstore.NewStorage(g)
	if err != nil {
		return err
	}
	resources["podtemplates"], resources["limitranges"], resources["replicationcontrollers"] = templates, limits,
		controllers.Controller
	return nil
}

func addVolumes(resources map[string]rest.Storage, g generic.RESTOptionsGetter) error {
	volumes, _, err := volumestore.NewREST(g)
	if err != nil {
		return err
	}
	claims, _, err := claimstore.NewREST(g)
	if err != nil {
		return err
	}
	resources["persistentvolumes"], resources["persistentvolumeclaims"] = volumes, claims
	return nil
}

func addPodsAndServices(resources map[string]rest.Storage, g generic.RESTOptionsGetter) error {
	budgets, err := policyclient.NewForConfig(loopback)
	if err != nil {
		return err
	}
	nodes, err := nodestore.NewStorage(g,
		kubeletclient.KubeletClientConfig{Port: 10250, PreferredAddressTypes: []string{"Hostname"}}, nil)
	if err != nil {
		return err
	}
	pods, err := newPods(g, nodes.KubeletConnectionInfo, budgets)
	if err != nil {
		return err
	}
	endpoints, err := endpointsstore.NewREST(g)
	if err != nil {
		return err
	}
	families := map[api.IPFamily]ipallocator.Interface{
		api.IPv4Protocol: newAddresses(api.IPv4Protocol, "10.96.0.77/12"),
		api.IPv6Protocol: newAddresses(api.IPv6Protocol, "fd00::77/108"),
	}
	// kube-apiserver --service-node-port-range
	ports := nodePorts{utilnet.PortRange{Base: 30000, Size: 2768}, &atomic.Int64{}}
	services, _, _, err := servicestore.NewREST(g, api.IPv4Protocol, families, ports, endpointsAndSlices{endpoints}, pods.Pod, nil)
	if err != nil {
		return err
	}
	resources["nodes"], resources["pods"], resources["bindings"] = nodes.Node, pods.Pod, pods.LegacyBinding
	resources["endpoints"], resources["services"] = endpoints, services
	return nil
}

// endpointsAndSlices are what the registry of Services gets: the Endpoints until 1.36, and since 1.37 the EndpointSlices, of
// which there are none. Only a request to the proxy of a Service would need them.
type endpointsAndSlices struct{ *endpointsstore.REST }

func (endpointsAndSlices) GetEndpointSlices(string, string) ([]*discoveryv1.EndpointSlice, error) {
	return nil, nil
}
