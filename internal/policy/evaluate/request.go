package evaluate

import (
	"encoding/json"

	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy"
	"github.com/kindvet/kindvet/internal/policy/match"
	"github.com/kindvet/kindvet/internal/source"
)

// request is the evaluation of one request.
type request struct {
	evaluator *Evaluator
	in        *Input
	memory    *memory
	result    Result
	current   evaluation
	// nodes are the values of the variable request, by the version that a policy matches.
	nodes map[match.Resource]manifest.Node
}

// unknownRequest returns what of the variable request is not known.
func unknownRequest(o Options) *cel.Unknown {
	if o.IsClosed {
		return nil
	}
	user := &cel.Unknown{Fields: map[string]*cel.Unknown{}}
	for _, name := range []string{"username", "uid", "groups", "extra"} {
		if name == "username" && o.User != "" || name == "groups" && o.Groups != nil {
			continue
		}
		user.Fields[name] = &cel.Unknown{Name: "request.userInfo." + name}
	}
	return &cel.Unknown{Fields: map[string]*cel.Unknown{
		"userInfo": user, "options": {Name: "request.options"},
	}}
}

// requestUnknown returns what of the variable request is not known for this request.
func (r *request) requestUnknown() *cel.Unknown {
	if r.in.HasKnownName {
		return r.evaluator.user
	}
	with := &cel.Unknown{Fields: map[string]*cel.Unknown{"name": {Name: "request.name"}}}
	if r.evaluator.user != nil {
		for name, u := range r.evaluator.user.Fields {
			with.Fields[name] = u
		}
	}
	return with
}

// kindText and resourceText are the JSON of a kind and of a resource.
type kindText struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

type resourceText struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

type userText struct {
	Username string   `json:"username,omitempty"`
	Groups   []string `json:"groups,omitempty"`
}

// requestText is the JSON of an AdmissionRequest (k8s.io/api, admission/v1).
type requestText struct {
	UID             string         `json:"uid"`
	Kind            kindText       `json:"kind"`
	Resource        resourceText   `json:"resource"`
	RequestKind     kindText       `json:"requestKind"`
	RequestResource resourceText   `json:"requestResource"`
	Name            string         `json:"name,omitempty"`
	Namespace       string         `json:"namespace,omitempty"`
	Operation       string         `json:"operation"`
	UserInfo        userText       `json:"userInfo"`
	Object          any            `json:"object"`
	OldObject       any            `json:"oldObject"`
	DryRun          bool           `json:"dryRun"`
	Options         map[string]any `json:"options"`
}

// node returns the value of the variable request.
func (r *request) node(as match.Resource) manifest.Node {
	if n, ok := r.nodes[as]; ok {
		return n
	}
	sent, o := r.in.Resource, r.evaluator.options
	text, err := json.Marshal(requestText{
		Kind: kindText{as.Group, as.Version, as.Kind}, Resource: resourceText{as.Group, as.Version, as.Plural},
		RequestKind: kindText{sent.Group, sent.Version, sent.Kind}, RequestResource: resourceText{sent.Group, sent.Version, sent.Plural},
		Name: r.in.Name, Namespace: r.in.Namespace, Operation: r.in.Operation, UserInfo: userText{o.User, o.Groups},
		Options: map[string]any{},
	})
	if err != nil {
		panic("a request is JSON: " + err.Error())
	}
	n := read(string(text))
	if r.nodes == nil {
		r.nodes = map[match.Resource]manifest.Node{}
	}
	r.nodes[as] = n
	return n
}

// read reads a JSON text.
func read(text string) manifest.Node {
	src := &source.Source{Text: text}
	tree := &manifest.Tree{}
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
	return tree.Root()
}

// namespace returns the value of the variable namespaceObject, and what of it is not known.
func (r *request) namespace() (manifest.Node, *cel.Unknown) {
	name := r.in.Namespace
	if name == "" || r.in.Resource.Plural == "namespaces" && r.in.Resource.Group == "" {
		return manifest.Node{}, nil
	}
	if n, ok := r.evaluator.set.Namespace(name); ok {
		return n, nil
	}
	if r.evaluator.options.IsClosed {
		return bareNamespace(name), nil
	}
	metadata := &cel.Unknown{Fields: map[string]*cel.Unknown{}}
	for _, field := range []string{"labels", "annotations", "UID", "creationTimestamp", "generation", "resourceVersion", "finalizers",
		"generateName", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		metadata.Fields[field] = &cel.Unknown{Name: "the Namespace " + name}
	}
	return bareNamespace(name), &cel.Unknown{Fields: map[string]*cel.Unknown{
		"metadata": metadata, "spec": {Name: "the Namespace " + name}, "status": {Name: "the Namespace " + name},
	}}
}

// nameLabel is the label that every Namespace has.
const nameLabel = "kubernetes.io/metadata.name"

func bareNamespace(name string) manifest.Node {
	text, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": name, "labels": map[string]any{nameLabel: name}},
		"spec":     map[string]any{"finalizers": []string{"kubernetes"}}, "status": map[string]any{"phase": "Active"},
	})
	if err != nil {
		panic("a namespace is JSON: " + err.Error())
	}
	return read(string(text))
}

// NamespaceLabels returns the labels of the Namespace of a request.
func (e *Evaluator) NamespaceLabels(name string) policy.Labels {
	var l policy.Labels
	l.Added.Key, l.Added.Value = nameLabel, name
	n, ok := e.set.Namespace(name)
	if ok {
		l.Node = n.At("metadata", "labels")
	}
	l.AreUnknown = !ok && !e.options.IsClosed
	return l
}
