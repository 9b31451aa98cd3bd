// Package builtin answers what kube-apiserver says to the create or update of an object of a built-in kind or of a
// CustomResourceDefinition.
//
// It runs the server itself in process: every registry that kube-apiserver installs, behind the handlers of a generic
// API server. So decoding with fieldValidation=Strict, defaulting, conversion, validation and warnings are upstream's
// code. Only etcd and the allocators of addresses and ports are replaced, by memory. There are no admission plugins,
// every request is authorized, and every namespace exists.
//
// It is a module of its own because k8s.io/kubernetes takes minutes to build, and it needs no other part of kindvet
// because every version of Kubernetes needs other modules. go.mod requires every staging module at the version that
// belongs to k8s.io/kubernetes. For older versions, the directories below versions hold a go.mod and the files that
// differ; the command version makes a module of them.
package builtin

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	extensionsopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	storagenames "k8s.io/apiserver/pkg/storage/names"
	"k8s.io/klog/v2"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	aggregatoropenapi "k8s.io/kube-aggregator/pkg/generated/openapi"
	aggregator "k8s.io/kube-aggregator/pkg/registry/apiservice/rest"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/capabilities"
	generatedopenapi "k8s.io/kubernetes/pkg/generated/openapi"
)

// Server is kube-apiserver with no objects. Any number of goroutines may use it.
type Server struct {
	kinds  map[schema.GroupVersionKind]*kind
	groups map[string]bool // of Kubernetes, whether or not a version of them is served
}

// kind is a kind that the server can create.
type kind struct {
	path       string // such as "/apis/apps/v1"
	resource   string
	namespaced bool
	handler    http.Handler
	decoder    runtime.Decoder
}

// New returns a server. It may be called once per process, because upstream keeps its scheme, metrics and capabilities
// in global variables.
func New() (*Server, error) {
	klog.SetLogger(logr.Discard())
	storagenames.SimpleNameGenerator = suffix{}
	capabilities.Setup(true, 0) // kubeadm, kind, k3s, EKS, GKE and AKS all set --allow-privileged=true
	s := &Server{kinds: map[schema.GroupVersionKind]*kind{}, groups: map[string]bool{"extensions": true}}
	if err := s.installKubernetes(); err != nil {
		return nil, err
	}
	if err := s.installDefinitions(); err != nil {
		return nil, err
	}
	if err := s.installAggregator(); err != nil {
		return nil, err
	}
	return s, nil
}

// suffix always generates the same name, so verdicts are reproducible.
type suffix struct{}

func (suffix) GenerateName(base string) string {
	return base[:min(len(base), storagenames.MaxGeneratedNameLength)] + "x2x4x"
}

// Kinds returns the kinds that can be created, sorted, such as "apps/v1 Deployment".
func (s *Server) Kinds() []string {
	var names []string
	for gvk := range s.kinds {
		names = append(names, gvk.GroupVersion().String()+" "+gvk.Kind)
	}
	slices.Sort(names)
	return names
}

func (s *Server) installKubernetes() error {
	enabled := servedByDefault()
	stores := options{legacyscheme.Scheme, func(versions ...schema.GroupVersion) runtime.Codec {
		return legacyscheme.Codecs.LegacyCodec(versions...)
	}}
	core, err := coreGroup(enabled, stores)
	if err != nil {
		return err
	}
	groups, err := groupsOf(enabled, stores)
	if err != nil {
		return err
	}
	server, err := newServer(enabled, legacyscheme.Scheme, legacyscheme.Codecs, generatedopenapi.GetOpenAPIDefinitions)
	if err != nil {
		return err
	}
	if err := server.InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, core); err != nil {
		return err
	}
	if err := server.InstallAPIGroups(groups...); err != nil {
		return err
	}
	return s.add(server.Handler, legacyscheme.Codecs, append(groups, core)...)
}

// installDefinitions installs the kind CustomResourceDefinition, which has a server of its own, too.
func (s *Server) installDefinitions() error {
	registry, err := customresourcedefinition.NewREST(extensions.Scheme,
		options{extensions.Scheme, func(versions ...schema.GroupVersion) runtime.Codec {
			return extensions.Codecs.LegacyCodec(versions...)
		}})
	if err != nil {
		return err
	}
	group := genericapiserver.NewDefaultAPIGroupInfo("apiextensions.k8s.io", extensions.Scheme, metav1.ParameterCodec,
		extensions.Codecs)
	group.VersionedResourcesStorageMap["v1"] = map[string]rest.Storage{"customresourcedefinitions": registry}
	enabled := serverstorage.NewResourceConfig()
	enabled.EnableVersions(schema.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"})
	server, err := newServer(enabled, extensions.Scheme, extensions.Codecs, extensionsopenapi.GetOpenAPIDefinitions)
	if err != nil {
		return err
	}
	if err := server.InstallAPIGroups(&group); err != nil {
		return err
	}
	return s.add(server.Handler, extensions.Codecs, &group)
}

// installAggregator installs the kind APIService, which has a server of its own in the chain of kube-apiserver.
func (s *Server) installAggregator() error {
	core := schema.GroupVersion{Version: "v1"}
	metav1.AddToGroupVersion(aggregatorscheme.Scheme, core) // as cmd/kube-apiserver does
	aggregatorscheme.Scheme.AddUnversionedTypes(core, &metav1.Status{}, &metav1.APIVersions{}, &metav1.APIGroupList{},
		&metav1.APIGroup{}, &metav1.APIResourceList{})
	enabled := serverstorage.NewResourceConfig()
	enabled.EnableVersions(schema.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1"})
	stores := options{aggregatorscheme.Scheme, func(versions ...schema.GroupVersion) runtime.Codec {
		return aggregatorscheme.Codecs.LegacyCodec(versions...)
	}}
	group := aggregator.NewRESTStorage(enabled, stores, false)
	server, err := newServer(enabled, aggregatorscheme.Scheme, aggregatorscheme.Codecs,
		aggregatoropenapi.GetOpenAPIDefinitions)
	if err != nil {
		return err
	}
	if err := server.InstallAPIGroups(&group); err != nil {
		return err
	}
	return s.add(server.Handler, aggregatorscheme.Codecs, &group)
}

func newServer(enabled *serverstorage.ResourceConfig, scheme *runtime.Scheme, codecs serializer.CodecFactory,
	definitions common.GetOpenAPIDefinitions) (*genericapiserver.GenericAPIServer, error) {
	config := genericapiserver.NewConfig(codecs)
	config.ExternalAddress, config.PublicAddress = "127.0.0.1:443", net.IPv4(127, 0, 0, 1)
	config.LoopbackClientConfig = loopback
	setVersion(config)
	namer := openapinamer.NewDefinitionNamer(scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	config.SkipOpenAPIInstallation = true
	config.AdmissionControl = reader{}
	config.BuildHandlerChainFunc = handlerChain
	config.MergedResourceConfig = enabled
	return config.Complete(nil).New("oracle", genericapiserver.NewEmptyDelegate())
}

// add adds the kinds of groups that can be created.
func (s *Server) add(handler http.Handler, codecs serializer.CodecFactory,
	groups ...*genericapiserver.APIGroupInfo) error {
	for _, group := range groups {
		s.groups[group.PrioritizedVersions[0].Group] = true
		for version, resources := range group.VersionedResourcesStorageMap {
			gv := schema.GroupVersion{Group: group.PrioritizedVersions[0].Group, Version: version}
			for resource, store := range resources {
				if _, ok := store.(rest.Creater); !ok || strings.Contains(resource, "/") {
					continue
				}
				gvk, err := kindOf(gv, group.Scheme, store)
				if err != nil {
					return fmt.Errorf("%s: %w", resource, err)
				}
				k := &kind{
					path: "/apis/" + gv.String(), resource: resource, handler: handler, decoder: codecs.UniversalDecoder(),
				}
				if gv.Group == "" {
					k.path = "/api/v1"
				}
				if scoper, ok := store.(rest.Scoper); ok {
					k.namespaced = scoper.NamespaceScoped()
				}
				s.kinds[gvk] = k
			}
		}
	}
	return nil
}

// kindOf returns the kind of a registry in an API version.
func kindOf(gv schema.GroupVersion, scheme *runtime.Scheme, store rest.Storage) (schema.GroupVersionKind, error) {
	if p, ok := store.(rest.GroupVersionKindProvider); ok {
		return p.GroupVersionKind(gv), nil
	}
	kinds, _, err := scheme.ObjectKinds(store.New())
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return gv.WithKind(kinds[0].Kind), nil
}

// newObject returns an empty object of a kind.
func newObject(gvk schema.GroupVersionKind) (runtime.Object, error) {
	for _, s := range []*runtime.Scheme{aggregatorscheme.Scheme, extensions.Scheme} {
		if s.Recognizes(gvk) && gvk.Group != "" {
			return s.New(gvk)
		}
	}
	return legacyscheme.Scheme.New(gvk)
}
