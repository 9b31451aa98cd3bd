package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

// handlerChain is the part of the server's chain that handlers rely on (k8s.io/apiserver, pkg/server,
// DefaultBuildHandlerChain), with a user who may do everything.
func handlerChain(handler http.Handler, config *genericapiserver.Config) http.Handler {
	admin := &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}
	withUser := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(request.WithUser(r.Context(), admin)))
	})
	chain := filters.WithRequestInfo(filters.WithWarningRecorder(withUser), config.RequestInfoResolver)
	// the handler of patches needs an audit context
	return filters.WithRequestReceivedTimestamp(filters.WithAuditInit(chain))
}

// Stages of verdicts in addition to those of parity.Verdict.
const (
	// NotServed means that the group belongs to Kubernetes, but this version or kind of it cannot be created.
	NotServed = "not served"
	// Foreign means that the server installs no such group.
	Foreign = "foreign"
)

// Verdict returns the server's verdict on a request: an update if there is an old object, otherwise a create. An
// update is what kubectl apply sends, so fields that only the server has set stay. A list is split into its items, as
// kubectl does, and the verdict is the first rejection.
//
// JSON is sent as kubectl sends it, after decoding and encoding: 3.0 becomes 3. But a duplicate key is an error,
// although kubectl uses the last one.
func (s *Server) Verdict(r parity.Request) parity.Verdict {
	object, repeated, err := read(r)
	if err != nil {
		return parity.Verdict{Stage: "syntax", Causes: []parity.Cause{{Reason: "Syntax", Message: err.Error()}}}
	}
	items, isList := object["items"].([]any)
	isList = isList && parity.IsListKind(kindName(object))
	if isList && !r.JSON {
		if _, err := yaml.YAMLToJSONStrict([]byte(r.New)); err != nil {
			repeated = strictCauses(err.Error())
		}
	}
	v := parity.Verdict{}
	switch {
	case isList:
		v = s.itemsVerdict(object, items)
	case r.JSON:
		r.New = encode(object)
		v = s.verdict(object, r)
	default:
		v = s.verdict(object, r)
	}
	if len(repeated) > 0 && (v.Accepted || v.Stage == "strict" || v.Stage == "validation") {
		if v.Stage == "strict" {
			repeated = append(repeated, v.Causes...)
		}
		return parity.Verdict{Stage: "strict", Causes: repeated, Warnings: v.Warnings}
	}
	return v
}

func (s *Server) verdict(object map[string]any, r parity.Request) parity.Verdict {
	apiVersion, _ := object["apiVersion"].(string)
	gvk := schema.FromAPIVersionAndKind(apiVersion, kindName(object))
	k, ok := s.kinds[gvk]
	switch {
	case !ok && (s.groups[gvk.Group] || legacyscheme.Scheme.IsGroupRegistered(gvk.Group)):
		return parity.Verdict{Stage: NotServed}
	case !ok:
		return parity.Verdict{Stage: Foreign}
	}
	namespace := textAt(object, "metadata", "namespace")
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	c := &cell{}
	if gvk.Kind == "Binding" {
		// it binds an existing Pod
		c.stored = &api.Pod{ObjectMeta: metav1.ObjectMeta{Name: "bound", Namespace: namespace, UID: "bound"}}
	}
	contentType := "application/yaml"
	if r.JSON {
		contentType = "application/json"
	}
	create := k.url(namespace, "")
	if r.Old == "" {
		_, v := k.send(c, message{http.MethodPost, create + verified, contentType, r.New})
		return v
	}
	update := k.url(namespace, textAt(object, "metadata", "name"))
	old := message{http.MethodPost, create + "?fieldValidation=Ignore", contentType, r.Old}
	if r.Live {
		stored, err := k.liveObject(r.Old, namespace)
		if err != nil {
			return parity.Verdict{Stage: "old", Causes: []parity.Cause{{Reason: "Decode", Message: err.Error()}}}
		}
		c.stored = stored
		old = message{method: http.MethodGet, address: update}
	}
	live, v := k.send(c, old)
	if !v.Accepted {
		return parity.Verdict{Stage: "old", Causes: v.Causes}
	}
	patch, err := applyPatch(gvk, r, live)
	if err != nil {
		return parity.Verdict{Stage: "patch", Causes: []parity.Cause{{Reason: "Patch", Message: err.Error()}}}
	}
	_, v = k.send(c,
		message{http.MethodPatch, update + verified, "application/strategic-merge-patch+json", string(patch)})
	return v
}

// liveUID is the uid of all live objects.
const liveUID = "live"

// liveObject decodes an object as the server reads it from etcd.
func (k *kind) liveObject(text, namespace string) (runtime.Object, error) {
	object, _, err := k.decoder.Decode([]byte(text), nil, nil)
	if err != nil {
		return nil, err
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if k.namespaced {
		m.SetNamespace(namespace)
	}
	m.SetUID(liveUID)
	m.SetResourceVersion("1")
	return object, nil
}

// verified is the query of requests whose verdict counts. A server allocates no ports for them.
const verified = "?fieldValidation=Strict&dryRun=All"

// applyPatch returns the patch that kubectl apply sends: the changes from the old object to the new one, applied to
// the live object (k8s.io/kubectl, pkg/cmd/apply/patcher.go).
func applyPatch(gvk schema.GroupVersionKind, r parity.Request, live []byte) ([]byte, error) {
	object, err := newObject(gvk)
	if err != nil {
		return nil, err
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(object)
	if err != nil {
		return nil, err
	}
	from, err := yaml.YAMLToJSON([]byte(r.Old))
	if err != nil {
		return nil, err
	}
	to, err := yaml.YAMLToJSON([]byte(r.New))
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateThreeWayMergePatch(from, to, live, meta, true)
}

// itemsVerdict sends the items of a list one by one. Items of a typed list need not state their kind
// (k8s.io/apimachinery, pkg/apis/meta/v1/unstructured, decodeToList).
func (s *Server) itemsVerdict(list map[string]any, items []any) parity.Verdict {
	all := parity.Verdict{Accepted: true}
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return parity.Verdict{
				Stage: "decode", Causes: []parity.Cause{{Field: "items[" + strconv.Itoa(i) + "]", Reason: "BadRequest"}},
			}
		}
		if textAt(object, "apiVersion") == "" && kindName(object) == "" {
			object["apiVersion"], object["kind"] = list["apiVersion"], strings.TrimSuffix(kindName(list), "List")
		}
		v := s.verdict(object, parity.Request{New: encode(object), JSON: true})
		all.Warnings = append(all.Warnings, v.Warnings...)
		if !v.Accepted {
			v.Warnings = all.Warnings
			return v
		}
	}
	return all
}

// read decodes the new object of a request as kubectl does. For JSON, it also returns the duplicate keys.
func read(r parity.Request) (object map[string]any, repeated []parity.Cause, err error) {
	if r.JSON {
		errs, err := kjson.UnmarshalStrict([]byte(r.New), &object)
		for _, e := range errs {
			repeated = append(repeated, strictCauses(e.Error())...)
		}
		return object, repeated, err
	}
	asJSON, err := yaml.YAMLToJSON([]byte(r.New))
	if err != nil {
		return nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(asJSON))
	d.UseNumber()
	err = d.Decode(&object)
	return object, nil, err
}

func encode(object map[string]any) string {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(text)
}

func kindName(object map[string]any) string { return textAt(object, "kind") }

// textAt returns the string at a path; "" if there is none.
func textAt(object map[string]any, path ...string) string {
	text, _, err := unstructured.NestedString(object, path...)
	if err != nil {
		return ""
	}
	return text
}

func (k *kind) url(namespace, name string) string {
	path := k.path
	if k.namespaced {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	path += "/" + k.resource
	if name != "" {
		path += "/" + url.PathEscape(name)
	}
	return path
}

// message is a request to a kind.
type message struct{ method, address, contentType, body string }

// send sends a message, and returns the body of the response and the verdict that it states.
func (k *kind) send(c *cell, m message) (body []byte, v parity.Verdict) {
	defer func() {
		if r := recover(); r != nil {
			v = parity.Verdict{Stage: "panic", Causes: []parity.Cause{{Reason: "Panic", Message: fmt.Sprint(r)}}}
		}
	}()
	ctx := context.WithValue(context.Background(), cellKey{}, c)
	req := httptest.NewRequestWithContext(ctx, m.method, m.address, strings.NewReader(m.body))
	req.Header.Set("Content-Type", m.contentType)
	req.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	k.handler.ServeHTTP(w, req)
	v = verdictOf(w.Code, w.Body.Bytes())
	v.Warnings = warningsOf(w.Header())
	return w.Body.Bytes(), v
}
