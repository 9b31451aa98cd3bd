// Package oracle uses upstream's own code for verdicts: it runs the packages of kube-apiserver in process on the
// same inputs as kindvet.
//
// It is a separate module, so its dependencies are not dependencies of the product. The steps of the API server
// between a request body and the store are called directly if they can be imported (the serializer, pruning,
// defaulting, the registry's strategy). The others are replicated (k8s.io/apiextensions-apiserver,
// pkg/apiserver/customresource_handler.go; k8s.io/apiserver, pkg/endpoints/handlers).
package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// Kind is one version of a CustomResourceDefinition that the oracle has installed.
type Kind struct {
	gvk        schema.GroupVersionKind
	namespaced bool
	noMetadata bool // its annotation says that it has no metadata; upstream has no such kind
	structural *structuralschema.Structural
	strategy   strategy
	withStatus strategy // the same without the status subresource, so status is checked on create and update
	hasStatus  bool
}

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// Load installs a definition and returns its served versions by name. The error says what an API server would
// refuse.
func Load(definition []byte) (map[string]*Kind, error) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	var external v1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(definition, &external); err != nil {
		return nil, err
	}
	v1.SetDefaults_CustomResourceDefinition(&external)
	v1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
	var crd apiextensions.CustomResourceDefinition
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&external, &crd,
		nil); err != nil {
		return nil, err
	}
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
	}
	if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), &crd); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	kinds := map[string]*Kind{}
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		k, err := loadVersion(&crd, v)
		if err != nil {
			return nil, err
		}
		kinds[v.Name] = k
	}
	return kinds, nil
}

func loadVersion(crd *apiextensions.CustomResourceDefinition,
	v apiextensions.CustomResourceDefinitionVersion) (*Kind, error) {
	k := &Kind{
		gvk:        schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind},
		namespaced: crd.Spec.Scope == apiextensions.NamespaceScoped,
		noMetadata: crd.Annotations["kindvet/metadata"] == "none",
	}
	schemaOf, err := apiextensions.GetSchemaForVersion(crd, v.Name)
	if err != nil {
		return nil, err
	}
	if err := dropLimits(schemaOf.OpenAPIV3Schema, crd.Annotations["kindvet/cost-limits"]); err != nil {
		return nil, err
	}
	if k.structural, err = structuralschema.NewStructural(schemaOf.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	if err := defaulting.PruneDefaults(k.structural); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(schemaOf.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	subresources, err := apiextensions.GetSubresourcesForVersion(crd, v.Name)
	if err != nil {
		return nil, err
	}
	if subresources != nil {
		status, scale = subresources.Status, subresources.Scale
	}
	typer := crdserverscheme.NewUnstructuredObjectTyper()
	k.hasStatus = status != nil
	k.strategy = customresource.NewStrategy(typer, k.namespaced, k.gvk, validator, nil, k.structural, status, scale, nil)
	k.withStatus = k.strategy
	if k.hasStatus {
		k.withStatus = customresource.NewStrategy(typer, k.namespaced, k.gvk, validator, nil, k.structural, nil, scale, nil)
	}
	return k, nil
}

// Verdict returns the API server's verdict on a request: an update if there is an old object, otherwise a create.
func (k *Kind) Verdict(r parity.Request) parity.Verdict { return k.verdict(r, k.strategy) }

// StatusVerdict is Verdict, except that it checks the status as a part of the object, as the status endpoint would.
func (k *Kind) StatusVerdict(r parity.Request) parity.Verdict { return k.verdict(r, k.withStatus) }

func (k *Kind) verdict(r parity.Request, s strategy) parity.Verdict {
	obj, verdict := k.decode(r.New, r.JSON, true)
	if obj == nil {
		return verdict
	}
	var old *unstructured.Unstructured
	if r.Old != "" {
		if old, _ = k.decode(r.Old, r.JSON, false); old == nil {
			return parity.Verdict{Stage: "old"}
		}
		old.Object = stored(old.Object)
	}
	ctx, verdict := k.identify(obj, old)
	if verdict.Stage != "" {
		return verdict
	}
	var err error
	if old == nil {
		rest.FillObjectMetaSystemFields(obj)
		err = rest.BeforeCreate(s, ctx, obj)
	} else {
		err = rest.BeforeUpdate(s, ctx, obj, old)
	}
	if err != nil {
		return refusal(err)
	}
	text, err := json.Marshal(obj.Object)
	if err != nil {
		panic(err)
	}
	return parity.Verdict{Accepted: true, Object: text}
}

// stored returns an object as it is read from the store, which holds text: 1.0 and 1e3 become integers.
func stored(object map[string]any) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var back map[string]any
	if err := utiljson.Unmarshal(text, &back); err != nil {
		panic(err)
	}
	return back
}

// dropRepeatedOwners removes owner references that equal an earlier one (k8s.io/apiserver,
// endpoints/handlers.dedupOwnerReferences).
func dropRepeatedOwners(obj *unstructured.Unstructured) {
	owners, ok, err := unstructured.NestedSlice(obj.Object, "metadata", "ownerReferences")
	if !ok || err != nil {
		return
	}
	var kept []any
	for _, owner := range owners {
		if !slices.ContainsFunc(kept, func(other any) bool { return reflect.DeepEqual(owner, other) }) {
			kept = append(kept, owner)
		}
	}
	if len(kept) < len(owners) {
		obj.Object["metadata"].(map[string]any)["ownerReferences"] = kept
	}
}

// identify changes the metadata as the handlers do before the registry sees the object.
func (k *Kind) identify(obj, old *unstructured.Unstructured) (context.Context, parity.Verdict) {
	if k.noMetadata {
		obj.SetName("none")
		if old != nil {
			old.SetName("none")
		}
	}
	namespace := obj.GetNamespace()
	switch {
	case !k.namespaced:
		namespace = ""
		obj.SetNamespace("")
	case namespace == "":
		namespace = "default"
		obj.SetNamespace(namespace)
	}
	dropRepeatedOwners(obj)
	ctx := request.WithNamespace(request.NewContext(), namespace)
	if old == nil {
		rest.WipeObjectMetaSystemFields(obj)
		if obj.GetGenerateName() != "" && obj.GetName() == "" {
			base := obj.GetGenerateName()
			obj.SetName(base[:min(len(base), 58)] + "x2x4x") // storage/names.SimpleNameGenerator, without randomness
		}
		return ctx, parity.Verdict{}
	}
	if old.GetUID() == "" {
		old.SetUID("b5a7c8f0-0000-4000-8000-000000000000")
	}
	old.SetNamespace(namespace)
	old.SetResourceVersion("1")
	old.SetGeneration(1) // as for every stored object
	old.SetCreationTimestamp(metav1.Unix(0, 0))
	if obj.GetResourceVersion() == "" {
		obj.SetResourceVersion("1") // the client of an update supplies it
	}
	if obj.GetName() != old.GetName() {
		return ctx, parity.Verdict{Stage: "name"}
	}
	return ctx, parity.Verdict{}
}

// longestMessage is the maximum number of bytes that are kept of a message.
const longestMessage = 200

// refusal converts an error of the registry to a verdict.
func refusal(err error) parity.Verdict {
	v := parity.Verdict{Stage: "validation"}
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		v.Stage = "request"
		v.Causes = []parity.Cause{{Reason: "Request", Message: err.Error()}}
		return v
	}
	for _, c := range status.ErrStatus.Details.Causes {
		message := c.Message
		if len(message) > longestMessage {
			message = strings.ToValidUTF8(message[:longestMessage], "")
		}
		v.Causes = append(v.Causes, parity.Cause{Field: c.Field, Reason: string(c.Type), Message: message})
	}
	slices.SortFunc(v.Causes, func(a, b parity.Cause) int {
		return strings.Compare(a.Field+"\x00"+a.Reason+"\x00"+a.Message, b.Field+"\x00"+b.Reason+"\x00"+b.Message)
	})
	v.Causes = slices.Compact(v.Causes)
	return v
}
