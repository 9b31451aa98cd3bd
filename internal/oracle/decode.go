package oracle

import (
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// decode decodes a body as the API server does with fieldValidation=Strict: decoding, unknown fields, pruning,
// dropping of nulls, embedded metadata, defaults (customresource_handler.go, schemaCoercingDecoder,
// unstructuredSchemaCoercer.apply, unstructuredDefaulter). If strict is false, unknown fields are dropped silently,
// as in an object that is already stored.
func (k *Kind) decode(body string, isJSON, strict bool) (*unstructured.Unstructured, parity.Verdict) {
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, creator{},
		crdserverscheme.NewUnstructuredObjectTyper(), json.SerializerOptions{Yaml: !isJSON, Strict: strict})
	var found []parity.Cause
	into := &unstructured.Unstructured{}
	into.SetGroupVersionKind(k.gvk)
	decoded, gvk, err := serializer.Decode([]byte(body), &k.gvk, into)
	if err != nil {
		strictErr, ok := runtime.AsStrictDecodingError(err)
		if !ok || decoded == nil {
			return nil, refused("decode")
		}
		for _, e := range strictErr.Errors() {
			found = append(found, strictCause(e.Error()))
		}
	}
	obj, ok := decoded.(*unstructured.Unstructured)
	if !ok {
		return nil, refused("decode")
	}
	unknown, err := k.coerce(obj)
	if err != nil {
		return nil, refused("metadata")
	}
	for _, field := range unknown {
		found = append(found, parity.Cause{Field: field, Reason: "Unknown"})
	}
	if strict && len(found) > 0 {
		return nil, parity.Verdict{Stage: "strict", Causes: found}
	}
	if gvk.GroupVersion() != k.gvk.GroupVersion() {
		return nil, parity.Verdict{Stage: "version"}
	}
	if gvk.Kind == k.gvk.Kind { // unstructuredDefaulter leaves other kinds to a scheme that has none
		defaulting.Default(obj.Object, k.structural)
	}
	return obj, parity.Verdict{}
}

// refused omits the message: if there are several faults, it may name any of them.
func refused(stage string) parity.Verdict { return parity.Verdict{Stage: stage} }

func strictCause(message string) parity.Cause {
	c := parity.Cause{Reason: "Duplicate key", Message: message}
	if field, ok := strings.CutPrefix(message, `duplicate field "`); ok {
		c.Field = strings.TrimSuffix(field, `"`)
	}
	return c
}

// coerce replicates unstructuredSchemaCoercer.apply, and returns the unknown fields.
func (k *Kind) coerce(obj *unstructured.Unstructured) ([]string, error) {
	kind, hasKind, err := unstructured.NestedString(obj.Object, "kind")
	if err != nil {
		return nil, err
	}
	apiVersion, hasVersion, err := unstructured.NestedString(obj.Object, "apiVersion")
	if err != nil {
		return nil, err
	}
	var unknown []string
	if k.noMetadata {
		if _, ok := obj.Object["metadata"]; ok {
			delete(obj.Object, "metadata")
			unknown = append(unknown, "metadata")
		}
	}
	meta, hasMeta, fields, err := objectmeta.GetObjectMetaWithOptions(obj.Object,
		objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, fields...)
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	if gv.Group == k.gvk.Group && kind == k.gvk.Kind && gv.Version == k.gvk.Version {
		options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
		unknown = append(unknown, pruning.PruneWithOptions(obj.Object, k.structural, true, options)...)
		defaulting.PruneNonNullableNullsWithoutDefaults(obj.Object, k.structural)
		fieldErr, fields := objectmeta.CoerceWithOptions(nil, obj.Object, k.structural, false,
			objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
		if fieldErr != nil {
			return nil, fieldErr
		}
		unknown = append(unknown, fields...)
	}
	if hasKind {
		obj.SetKind(kind)
	}
	if hasVersion {
		obj.SetAPIVersion(apiVersion)
	}
	if hasMeta {
		if err := objectmeta.SetObjectMeta(obj.Object, meta); err != nil {
			return nil, err
		}
	}
	slices.Sort(unknown)
	return unknown, nil
}

// creator creates empty objects of any kind (customresource_handler.go, unstructuredCreator).
type creator struct{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	return obj, nil
}
