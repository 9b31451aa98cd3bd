package builtin

import (
	certificates "k8s.io/kubernetes/pkg/registry/certificates/rest"
	resource "k8s.io/kubernetes/pkg/registry/resource/rest"
)

func certificatesProvider() provider { return certificates.RESTStorageProvider{} }

func resourceProvider() provider { return resource.RESTStorageProvider{} }
