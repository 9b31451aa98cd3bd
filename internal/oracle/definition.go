package oracle

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// DefinitionVerdict returns the API server's verdict on a CustomResourceDefinition with fieldValidation=Strict: on an
// update if there is an old one, which is established, otherwise on a create. It uses the server's own serializer,
// defaults, conversion and strategy (k8s.io/apiserver, endpoints/handlers.createHandler, UpdateResource).
func DefinitionVerdict(r parity.Request) (verdict parity.Verdict) {
	quiet()
	defer func() {
		if trouble := recover(); trouble != nil { // the server responds with 500
			verdict = parity.Verdict{Stage: "panic", Causes: []parity.Cause{{Reason: "Panic", Message: fmt.Sprint(trouble)}}}
		}
	}()
	crd, verdict := decodeDefinition(r.New, r.JSON)
	if crd == nil {
		return verdict
	}
	strategy := customresourcedefinition.NewStrategy(apiserver.Scheme)
	ctx := request.WithNamespace(request.NewContext(), "")
	if r.Old == "" {
		rest.FillObjectMetaSystemFields(crd)
		if err := rest.BeforeCreate(strategy, ctx, crd); err != nil {
			return refusal(err)
		}
		return parity.Verdict{Accepted: true}
	}
	old, _ := decodeDefinition(r.Old, r.JSON)
	if old == nil {
		return parity.Verdict{Stage: "old"}
	}
	rest.FillObjectMetaSystemFields(old)
	switch err := rest.BeforeCreate(strategy, ctx, old); {
	case r.Live: // an older server may have stored it
	case err != nil:
		return parity.Verdict{Stage: "old"}
	}
	if crd.Name != old.Name {
		return parity.Verdict{Stage: "name"}
	}
	old.Status.Conditions = []apiextensions.CustomResourceDefinitionCondition{
		{Type: apiextensions.Established, Status: apiextensions.ConditionTrue},
	}
	old.ResourceVersion, crd.ResourceVersion = "1", "1"
	if err := rest.BeforeUpdate(strategy, ctx, crd, old); err != nil {
		return refusal(err)
	}
	return parity.Verdict{Accepted: true}
}

// decodeDefinition returns nil and the verdict if the server cannot decode a text.
func decodeDefinition(text string, isJSON bool) (*apiextensions.CustomResourceDefinition, parity.Verdict) {
	mediaType := "application/yaml"
	if isJSON {
		mediaType = "application/json"
	}
	serializer, ok := runtime.SerializerInfoForMediaType(apiserver.Codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		panic("no serializer for " + mediaType)
	}
	decoder := apiserver.Codecs.DecoderToVersion(serializer.StrictSerializer, apiextensions.SchemeGroupVersion)
	gvk := v1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	obj, found, err := decoder.Decode([]byte(text), &gvk, &apiextensions.CustomResourceDefinition{})
	if err != nil {
		strictErr, ok := runtime.AsStrictDecodingError(err)
		if !ok || obj == nil {
			return nil, parity.Verdict{Stage: "decode", Causes: []parity.Cause{{Reason: "Decode", Message: cut(err.Error())}}}
		}
		v := parity.Verdict{Stage: "strict"}
		for _, e := range strictErr.Errors() {
			v.Causes = append(v.Causes, unknownCause(e.Error()))
		}
		return nil, v
	}
	if found.GroupVersion() != gvk.GroupVersion() {
		return nil, parity.Verdict{Stage: "version"}
	}
	crd, ok := obj.(*apiextensions.CustomResourceDefinition)
	if !ok {
		return nil, refused("decode")
	}
	crd.SetNamespace("") // rest.EnsureObjectNamespaceMatchesRequestNamespace
	return crd, parity.Verdict{}
}

// unknownCause extracts the field from a strict decoding error.
func unknownCause(message string) parity.Cause {
	if quoted, ok := strings.CutPrefix(message, "unknown field "); ok {
		if field, err := strconv.Unquote(quoted); err == nil {
			return parity.Cause{Field: field, Reason: "Unknown"}
		}
	}
	return strictCause(message)
}

func cut(message string) string {
	if len(message) > longestMessage {
		message = strings.ToValidUTF8(message[:longestMessage], "")
	}
	return message
}
