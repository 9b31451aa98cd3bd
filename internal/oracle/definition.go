package oracle

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/kindvet/kindvet/internal/parity"
)

// DefinitionVerdict returns the API server's verdict on creating a CustomResourceDefinition with
// fieldValidation=Strict. It uses the server's own serializer, defaults, conversion and create strategy
// (k8s.io/apiserver, endpoints/handlers.createHandler).
func DefinitionVerdict(r parity.Request) (verdict parity.Verdict) {
	quiet()
	defer func() {
		if trouble := recover(); trouble != nil { // the server responds with 500
			verdict = parity.Verdict{Stage: "panic", Causes: []parity.Cause{{Reason: "Panic", Message: fmt.Sprint(trouble)}}}
		}
	}()
	mediaType := "application/yaml"
	if r.JSON {
		mediaType = "application/json"
	}
	serializer, ok := runtime.SerializerInfoForMediaType(apiserver.Codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		panic("no serializer for " + mediaType)
	}
	decoder := apiserver.Codecs.DecoderToVersion(serializer.StrictSerializer, apiextensions.SchemeGroupVersion)
	gvk := v1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	obj, found, err := decoder.Decode([]byte(r.New), &gvk, &apiextensions.CustomResourceDefinition{})
	if err != nil {
		strictErr, ok := runtime.AsStrictDecodingError(err)
		if !ok || obj == nil {
			return parity.Verdict{Stage: "decode", Causes: []parity.Cause{{Reason: "Decode", Message: cut(err.Error())}}}
		}
		v := parity.Verdict{Stage: "strict"}
		for _, e := range strictErr.Errors() {
			v.Causes = append(v.Causes, unknownCause(e.Error()))
		}
		return v
	}
	if found.GroupVersion() != gvk.GroupVersion() {
		return parity.Verdict{Stage: "version"}
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return refused("decode")
	}
	accessor.SetNamespace("") // rest.EnsureObjectNamespaceMatchesRequestNamespace
	rest.FillObjectMetaSystemFields(accessor)
	if err := rest.BeforeCreate(customresourcedefinition.NewStrategy(apiserver.Scheme),
		request.WithNamespace(request.NewContext(), ""), obj); err != nil {
		return refusal(err)
	}
	return parity.Verdict{Accepted: true}
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
