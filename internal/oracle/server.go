package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	informers "k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/request"
	storagenames "k8s.io/apiserver/pkg/storage/names"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/test/parity"
)

// Server is the API server's own handler of custom resources, from the request body to the store, with one object
// in memory instead of etcd. It replicates nothing, so it can verify Kind, which gives the same verdicts in a fraction
// of the time.
type Server struct {
	crd     *v1.CustomResourceDefinition
	handler http.Handler
	cell    *cell
}

// Serve installs a definition without checking it (Load checks). If checkStatus is set, the status subresource is
// left out, so status is checked as a part of the object.
func Serve(definition []byte, checkStatus bool) (*Server, error) {
	quiet()
	crd := &v1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(definition, crd); err != nil {
		return nil, err
	}
	v1.SetDefaults_CustomResourceDefinition(crd)
	v1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	establish(crd)
	for i := range crd.Spec.Versions {
		if s := crd.Spec.Versions[i].Subresources; checkStatus && s != nil {
			s.Status = nil
		}
	}
	informer := informers.NewSharedInformerFactory(nil, 0).Apiextensions().V1().CustomResourceDefinitions()
	if err := informer.Informer().GetIndexer().Add(crd); err != nil {
		return nil, err
	}
	s := &Server{crd: crd, cell: &cell{}}
	handler, err := apiserver.NewCustomResourceDefinitionHandler(nil, nil, informer, http.NotFoundHandler(), s.cell,
		reader{}, nil, nil, nil, 1, nil, time.Minute, time.Minute, nil, maxBody)
	if err != nil {
		return nil, err
	}
	s.handler = handler
	return s, nil
}

// maxBody is the maximum size of a request in bytes (k8s.io/apiserver, pkg/server, NewConfig: MaxRequestBodyBytes).
const maxBody = 3 << 20

// quiet silences upstream's log and makes it always generate the same name, so verdicts are reproducible.
var quiet = sync.OnceFunc(func() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	storagenames.SimpleNameGenerator = suffix{}
})

type suffix struct{}

func (suffix) GenerateName(base string) string {
	return base[:min(len(base), storagenames.MaxGeneratedNameLength)] + "x2x4x"
}

// establish sets the status of a definition that the naming and establishing controllers would set.
func establish(crd *v1.CustomResourceDefinition) {
	accepted := crd.Spec.Names
	if accepted.Singular == "" {
		accepted.Singular = strings.ToLower(accepted.Kind)
	}
	if accepted.ListKind == "" {
		accepted.ListKind = accepted.Kind + "List"
	}
	crd.UID, crd.Status.AcceptedNames = "definition", accepted
	for _, c := range []v1.CustomResourceDefinitionConditionType{v1.NamesAccepted, v1.Established} {
		crd.Status.Conditions = append(crd.Status.Conditions,
			v1.CustomResourceDefinitionCondition{Type: c, Status: v1.ConditionTrue})
	}
}

// reader is an admission plugin that supplies the resource version, which a client knows from having read the
// object.
type reader struct{}

func (reader) Handles(o admission.Operation) bool { return o == admission.Update }

func (reader) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	obj, err := meta.Accessor(a.GetObject())
	if err != nil {
		return err
	}
	old, err := meta.Accessor(a.GetOldObject())
	if err != nil {
		return err
	}
	obj.SetResourceVersion(old.GetResourceVersion())
	return nil
}

// Versions returns the names of the served versions, in the order of the definition.
func (s *Server) Versions() []string {
	var served []string
	for _, v := range s.crd.Spec.Versions {
		if v.Served {
			served = append(served, v.Name)
		}
	}
	return served
}

// Verdict returns the verdict on a request to one version of the resource, in the namespace that the object states.
func (s *Server) Verdict(version string, r parity.Request) (parity.Verdict, error) {
	s.cell.stored = nil
	name, namespace := "", namespaceOf(r.New)
	if r.Old != "" {
		var err error
		if name, namespace, err = s.store(r.Old, namespace); err != nil {
			return parity.Verdict{}, fmt.Errorf("old object: %w", err)
		}
	}
	if namespace == "" {
		namespace = "default"
	}
	if s.crd.Spec.Scope != v1.NamespaceScoped {
		namespace = ""
	}
	code, answer := s.send(version, namespace, name, r)
	if code < http.StatusBadRequest {
		return parity.Verdict{Accepted: true, Object: ownMembers(s.cell.stored)}, nil
	}
	status := &metav1.Status{}
	if err := json.Unmarshal(answer, status); err != nil {
		return parity.Verdict{}, fmt.Errorf("answer %d: %s", code, answer)
	}
	return refusalOf(status), nil
}

func namespaceOf(text string) string {
	var object struct {
		Metadata struct {
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		return ""
	}
	return object.Metadata.Namespace
}

// store puts an object into the cell as if it had been created long ago, even if it violates the current rules.
func (s *Server) store(text, namespace string) (string, string, error) {
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return "", "", err
	}
	old := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(asJSON, &old.Object); err != nil {
		return "", "", err
	}
	if _, ok := old.Object["metadata"].(map[string]any); !ok || old.GetName() == "" {
		return "", "", fmt.Errorf("has no name")
	}
	if namespace == "" {
		namespace = old.GetNamespace()
	}
	if namespace == "" {
		namespace = "default"
	}
	old.SetNamespace(namespace)
	if s.crd.Spec.Scope != v1.NamespaceScoped {
		old.SetNamespace("")
	}
	if old.GetUID() == "" {
		old.SetUID("old")
	}
	if created := old.GetCreationTimestamp(); created.IsZero() {
		old.SetCreationTimestamp(metav1.Unix(1, 0))
	}
	old.SetGeneration(1)
	s.cell.stored, err = json.Marshal(old.Object)
	return old.GetName(), namespace, err
}

func (s *Server) send(version, namespace, name string, r parity.Request) (int, []byte) {
	method, verb := http.MethodPost, "create"
	if name != "" {
		method, verb = http.MethodPut, "update"
	}
	path := fmt.Sprintf("/apis/%s/%s/%s", s.crd.Spec.Group, version, s.crd.Spec.Names.Plural)
	req := httptest.NewRequest(method, path+"?fieldValidation=Strict", strings.NewReader(r.New))
	req.Header.Set("Content-Type", "application/yaml")
	if r.JSON {
		req.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req.WithContext(request.WithRequestInfo(req.Context(), &request.RequestInfo{
		IsResourceRequest: true, Path: path, Verb: verb, APIPrefix: "apis", APIGroup: s.crd.Spec.Group, APIVersion: version,
		Namespace: namespace, Resource: s.crd.Spec.Names.Plural, Name: name,
	})))
	return w.Code, w.Body.Bytes()
}

// ownMembers returns a stored object without what the server itself has added.
func ownMembers(stored []byte) json.RawMessage {
	obj := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(stored, &obj.Object); err != nil {
		panic(err)
	}
	for _, member := range []string{"creationTimestamp", "generation", "managedFields", "uid"} {
		unstructured.RemoveNestedField(obj.Object, "metadata", member)
	}
	own, err := json.Marshal(obj.Object)
	if err != nil {
		panic(err)
	}
	return own
}

// stages are the words in the server's messages by which its 400 responses are distinguished (k8s.io/apiserver,
// pkg/endpoints/handlers: transformDecodeError, createHandler). They must be searched for in this order.
var stages = []struct{ words, stage string }{
	{"the object provided is unrecognized", "decode"},
	{"strict decoding error: ", "strict"},
	{"cannot be handled as a", "metadata"},
	{"the API version in the data", "version"},
	{"the name of the object", "name"},
	{"Object 'apiVersion' is missing", "version"},
}

func refusalOf(status *metav1.Status) parity.Verdict {
	if status.Code == http.StatusUnprocessableEntity {
		return refusal(&apierrors.StatusError{ErrStatus: *status})
	}
	for _, s := range stages {
		_, after, ok := strings.Cut(status.Message, s.words)
		switch {
		case !ok:
		case s.stage == "strict":
			return parity.Verdict{Stage: s.stage, Causes: strictCauses(after)}
		default:
			return refused(s.stage)
		}
	}
	return parity.Verdict{Stage: "request", Causes: []parity.Cause{{Reason: "Request", Message: status.Message}}}
}

var strictError = regexp.MustCompile(`(?s)(?:^|, )(?:unknown field "(.*?)"|(duplicate field ".*?"|yaml: unmarshal errors:.*?))(?:$|, (?:unknown|duplicate) field ")`)

// strictCauses splits the joined message of strict errors.
func strictCauses(message string) []parity.Cause {
	var causes []parity.Cause
	for message != "" {
		m := strictError.FindStringSubmatchIndex(message)
		if m == nil {
			return append(causes, parity.Cause{Reason: "Duplicate key", Message: message})
		}
		end := m[3] + 1
		if m[2] >= 0 {
			causes = append(causes, parity.Cause{Field: message[m[2]:m[3]], Reason: "Unknown"})
		} else {
			causes = append(causes, strictCause(message[m[4]:m[5]]))
			end = m[5]
		}
		message = message[end:]
	}
	return causes
}
