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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/parity"
)

// handlerChain is the part of the server's chain that handlers rely on (k8s.io/apiserver, pkg/server,
// DefaultBuildHandlerChain), with a user who may do everything.
func handlerChain(handler http.Handler, config *genericapiserver.Config) http.Handler {
	admin := &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}
	withUser := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(request.WithUser(r.Context(), admin)))
	})
	chain := filters.WithRequestInfo(filters.WithWarningRecorder(withUser), config.RequestInfoResolver)
	return filters.WithRequestReceivedTimestamp(filters.WithAuditInit(chain)) // the handler of patches needs an audit context
}

// Stages of verdicts in addition to those of parity.Verdict.
const (
	// NotServed means that the group belongs to Kubernetes, but this version or kind of it cannot be created.
	NotServed = "not served"
	// Foreign means that the server installs no such group.
	Foreign = "foreign"
)

// Judge returns the server's verdict on a request: an update if there is an old object, otherwise a create. An update
// is what kubectl apply sends, so fields that only the server has set stay. A list is split into its items, as kubectl
// does, and the verdict is the first rejection.
func (s *Server) Judge(r parity.Request) parity.Verdict {
	object, err := read(r.New)
	if err != nil {
		return parity.Verdict{Stage: "syntax", Causes: []parity.Cause{{Reason: "Syntax", Message: err.Error()}}}
	}
	if items, ok := object["items"].([]any); ok && strings.HasSuffix(kindName(object), "List") {
		return s.judgeItems(object, items, r)
	}
	return s.judge(object, r)
}

func (s *Server) judge(object map[string]any, r parity.Request) parity.Verdict {
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
		c.stored = &api.Pod{ObjectMeta: metav1.ObjectMeta{Name: "bound", Namespace: namespace, UID: "bound"}} // it binds an existing Pod
	}
	create := k.url(namespace, "")
	if r.Old == "" {
		_, v := k.send(c, message{http.MethodPost, create + verified, contentType(r.JSON), r.New})
		return v
	}
	live, v := k.send(c, message{http.MethodPost, create + "?fieldValidation=Ignore", contentType(r.JSON), r.Old})
	if !v.Accepted {
		return parity.Verdict{Stage: "old", Causes: v.Causes}
	}
	patch, err := applyPatch(gvk, r, live)
	if err != nil {
		return parity.Verdict{Stage: "patch", Causes: []parity.Cause{{Reason: "Patch", Message: err.Error()}}}
	}
	update := k.url(namespace, textAt(object, "metadata", "name"))
	_, v = k.send(c, message{http.MethodPatch, update + verified, "application/strategic-merge-patch+json", string(patch)})
	return v
}

// verified is the query of requests whose verdict counts. A server allocates no ports for them.
const verified = "?fieldValidation=Strict&dryRun=All"

func contentType(isJSON bool) string {
	if isJSON {
		return "application/json"
	}
	return "application/yaml"
}

// applyPatch returns the patch that kubectl apply sends: the changes from the old object to the new one, applied to the
// live object (k8s.io/kubectl, pkg/cmd/apply/patcher.go).
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

// judgeItems sends the items of a list one by one. Items of a typed list need not state their kind
// (k8s.io/apimachinery, pkg/apis/meta/v1/unstructured, decodeToList). Duplicate keys are errors, as they are in a
// document that is not a list.
func (s *Server) judgeItems(list map[string]any, items []any, r parity.Request) parity.Verdict {
	if _, err := yaml.YAMLToJSONStrict([]byte(r.New)); err != nil {
		return parity.Verdict{Stage: "strict", Causes: []parity.Cause{{Reason: "Duplicate key", Message: err.Error()}}}
	}
	all := parity.Verdict{Accepted: true}
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return parity.Verdict{Stage: "decode", Causes: []parity.Cause{{Field: "items[" + strconv.Itoa(i) + "]", Reason: "BadRequest"}}}
		}
		if textAt(object, "apiVersion") == "" && kindName(object) == "" {
			object["apiVersion"], object["kind"] = list["apiVersion"], strings.TrimSuffix(kindName(list), "List")
		}
		text, err := json.Marshal(object)
		if err != nil {
			panic(err) // it was read from JSON
		}
		v := s.judge(object, parity.Request{New: string(text), JSON: true})
		all.Warnings = append(all.Warnings, v.Warnings...)
		if !v.Accepted {
			v.Warnings = all.Warnings
			return v
		}
	}
	return all
}

// read decodes a text as kubectl does.
func read(text string) (map[string]any, error) {
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(asJSON))
	d.UseNumber()
	var object map[string]any
	return object, d.Decode(&object)
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
