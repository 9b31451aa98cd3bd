package builtin

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// cell replaces etcd: it holds the object that one request creates or updates. Each request carries its cell in its
// context, so requests do not see each other.
type cell struct {
	stored runtime.Object // nil if there is no object
}

type cellKey struct{}

func cellOf(ctx context.Context) *cell {
	c, ok := ctx.Value(cellKey{}).(*cell)
	if !ok {
		return &cell{} // of requests that the server sends to itself
	}
	return c
}

// options makes registries use cells (generic.RESTOptionsGetter).
type options struct {
	scheme *runtime.Scheme
	codec  func(...schema.GroupVersion) runtime.Codec
}

func (o options) of(resource schema.GroupResource) generic.RESTOptions {
	versions := o.scheme.PrioritizedVersionsAllGroups()
	config := storagebackend.NewDefaultConfig("/registry", o.codec(versions...))
	config.EncodeVersioner = schema.GroupVersions(versions)
	return generic.RESTOptions{
		StorageConfig:  config.ForResource(resource),
		ResourcePrefix: resource.Group + "/" + resource.Resource,
		Decorator:      open,
	}
}

func open(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object,
	func() runtime.Object,
	storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	return cells{}, func() {}, nil
}

// cells is a storage.Interface that supports create, get and update of the object in the cell of a request.
type cells struct{ storage.APIObjectVersioner }

func (c cells) Versioner() storage.Versioner { return c.APIObjectVersioner }

func (c cells) Create(ctx context.Context, _ string, obj, out runtime.Object, _ uint64) error {
	stored := obj.DeepCopyObject()
	if err := c.UpdateObject(stored, 1); err != nil {
		return err
	}
	cellOf(ctx).stored = stored
	if out == nil {
		return nil
	}
	return copyTo(out, stored)
}

func (c cells) Get(ctx context.Context, key string, o storage.GetOptions, out runtime.Object) error {
	stored := cellOf(ctx).stored
	switch {
	case stored != nil:
		return copyTo(out, stored)
	case o.IgnoreNotFound:
		return runtime.SetZeroValue(out)
	}
	return storage.NewKeyNotFoundError(key, 0)
}

func (c cells) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool,
	conditions *storage.Preconditions,
	update storage.UpdateFunc, _ runtime.Object) error {
	if err := c.Get(ctx, key, storage.GetOptions{IgnoreNotFound: ignoreNotFound}, out); err != nil {
		return err
	}
	if err := conditions.Check(key, out); err != nil {
		return err
	}
	obj, _, err := update(out.DeepCopyObject(), storage.ResponseMeta{ResourceVersion: 1})
	if err != nil {
		return err
	}
	return copyTo(out, obj)
}

// copyTo sets out to a deep copy of an object of the same type.
func copyTo(out, obj runtime.Object) error {
	to, err := conversion.EnforcePtr(out)
	if err != nil {
		return err
	}
	from, err := conversion.EnforcePtr(obj.DeepCopyObject())
	if err != nil {
		return err
	}
	to.Set(from)
	return nil
}

var errUnused = errors.New("the oracle creates and updates, and nothing else")

func (c cells) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), nil
}

// GetList finds nothing: registries ask for the objects that a new one could be in conflict with.
func (c cells) GetList(context.Context, string, storage.ListOptions, runtime.Object) error {
	return nil
}

func (c cells) ReadinessCheck() error                                     { return nil }
func (c cells) RequestWatchProgress(context.Context) error                { return errUnused }
func (c cells) GetCurrentResourceVersion(context.Context) (uint64, error) { return 1, nil }
func (c cells) CompactRevision() int64                                    { return 0 }
