package builtin

import (
	"k8s.io/apiserver/pkg/registry/generic"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

func newPods(g generic.RESTOptionsGetter, nodes kubeletclient.ConnectionInfoGetter,
	budgets policyclient.PodDisruptionBudgetsGetter) (podstore.PodStorage, error) {
	return podstore.NewStorage(g, nodes, nil, budgets)
}
