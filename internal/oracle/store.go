package oracle

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// cell replaces etcd: it holds one object, as bytes. Upstream's codec converts between object and bytes, so an
// update finds what a read from etcd would return: decoded, pruned, defaulted, and with 1.0 changed to 1.
type cell struct {
	stored []byte // nil if there is no object
}

// GetRESTOptions makes a registry use this cell (generic.RESTOptionsGetter).
func (c *cell) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.Config{Codec: unstructured.UnstructuredJSONScheme}
	return generic.RESTOptions{
		StorageConfig:  config.ForResource(resource),
		ResourcePrefix: resource.Group + "/" + resource.Resource,
		Decorator:      c.open,
	}, nil
}

func (c *cell) open(config *storagebackend.ConfigForResource, _ string, _ func(runtime.Object) (string, error), _,
	_ func() runtime.Object,
	_ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	return &opened{cell: c, codec: config.Codec}, func() {}, nil
}

// opened is a cell with the codec of one version of a resource. It is a storage.Interface that supports create, get
// and update.
type opened struct {
	*cell
	storage.APIObjectVersioner
	codec runtime.Codec
}

func (o *opened) Versioner() storage.Versioner { return o.APIObjectVersioner }

func (o *opened) Create(_ context.Context, _ string, obj, out runtime.Object, _ uint64) error {
	return o.write(obj, out)
}

func (o *opened) Get(_ context.Context, key string, _ storage.GetOptions, out runtime.Object) error {
	if o.stored == nil {
		return storage.NewKeyNotFoundError(key, 0)
	}
	return o.read(out)
}

func (o *opened) GuaranteedUpdate(_ context.Context, key string, out runtime.Object, _ bool, _ *storage.Preconditions,
	update storage.UpdateFunc, _ runtime.Object) error {
	if o.stored == nil {
		return storage.NewKeyNotFoundError(key, 0)
	}
	old := &unstructured.Unstructured{}
	if err := o.read(old); err != nil {
		return err
	}
	obj, _, err := update(old, storage.ResponseMeta{ResourceVersion: 1})
	if err != nil {
		return err
	}
	return o.write(obj, out)
}

func (o *opened) write(obj, out runtime.Object) error {
	if err := o.PrepareObjectForStorage(obj); err != nil {
		return err
	}
	stored, err := runtime.Encode(o.codec, obj)
	if err != nil {
		return err
	}
	o.stored = stored
	return o.read(out)
}

func (o *opened) read(out runtime.Object) error {
	if _, _, err := o.codec.Decode(o.stored, nil, out); err != nil {
		return err
	}
	return o.UpdateObject(out, 1)
}

var errUnused = errors.New("the oracle only creates and updates")

func (o *opened) Delete(context.Context, string, runtime.Object, *storage.Preconditions, storage.ValidateObjectFunc,
	runtime.Object,
	storage.DeleteOptions) error {
	return errUnused
}

func (o *opened) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return nil, errUnused
}

func (o *opened) GetList(context.Context, string, storage.ListOptions, runtime.Object) error {
	return errUnused
}

func (o *opened) Stats(context.Context) (storage.Stats, error)              { return storage.Stats{}, errUnused }
func (o *opened) ReadinessCheck() error                                     { return nil }
func (o *opened) RequestWatchProgress(context.Context) error                { return errUnused }
func (o *opened) GetCurrentResourceVersion(context.Context) (uint64, error) { return 1, nil }
func (o *opened) EnableResourceSizeEstimation(storage.KeysFunc) error       { return nil }
func (o *opened) CompactRevision() int64                                    { return 0 }
