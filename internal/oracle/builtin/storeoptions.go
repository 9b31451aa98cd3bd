package builtin

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
)

// GetRESTOptions is generic.RESTOptionsGetter.
func (o options) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	return o.of(resource), nil
}

func (c cells) Delete(context.Context, string, runtime.Object, *storage.Preconditions, storage.ValidateObjectFunc,
	runtime.Object, storage.DeleteOptions) error {
	return errUnused
}
