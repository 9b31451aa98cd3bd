package builtin

import (
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	certificates "k8s.io/kubernetes/pkg/registry/certificates/rest"
	resource "k8s.io/kubernetes/pkg/registry/resource/rest"
)

func certificatesProvider() provider {
	return certificates.RESTStorageProvider{Authorizer: authorizerfactory.NewAlwaysAllowAuthorizer()}
}

func resourceProvider() provider {
	return resource.RESTStorageProvider{NamespaceClient: namespaces{}}
}
