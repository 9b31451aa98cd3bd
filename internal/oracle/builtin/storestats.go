package builtin

import (
	"context"

	"k8s.io/apiserver/pkg/storage"
)

func (c cells) Stats(context.Context) (storage.Stats, error)        { return storage.Stats{}, errUnused }
func (c cells) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }
