package evaluate

import (
	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/cel"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/policy/decoded"
	"github.com/kindvet/kindvet/internal/policy/match"
)

// The operations of requests.
const (
	Create = "CREATE"
	Update = "UPDATE"
	Delete = "DELETE"
)

// Object is an object that a request is about.
type Object struct {
	Kind *catalog.Kind
	// Versions are all served versions of the kind.
	Versions []string
	// New is the object, and Old the one before, as the check has left them. An object that is created has no old one. That of a
	// DELETE is the old one.
	New, Old manifest.Node
	// IsConverted means that a webhook converts between the versions of the kind.
	IsConverted bool
	// File is the name of the file with the object.
	File string
	// Operation is that of the request; "" means that an object is created, or updated if there is an old one.
	Operation string
}

// Request returns the request for an object. It edits the objects into what a server has when it asks policies, and adds the
// namespace default where there is none.
func (e *Evaluator) Request(o Object) *Input {
	in := &Input{New: o.New, Previous: o.Old, kind: o.Kind}
	k := o.Kind
	in.Resource = match.Resource{Group: k.Group, Version: k.Version, Plural: k.Plural, Kind: k.Name}
	in.File = o.File
	in.Equivalents, in.IsConvertible = equivalents(k, o.Versions)
	in.IsConvertible = in.IsConvertible && !o.IsConverted
	in.Operation = operationOf(o)
	switch {
	case in.Operation == Create:
		in.Previous = manifest.Node{}
	case !o.Old.Valid():
		in.Previous = o.New
	}
	if in.Operation == Delete {
		in.New = manifest.Node{}
	}
	for _, n := range []manifest.Node{in.New, in.Previous} {
		if n.Valid() {
			complete(n, k)
		}
	}
	e.identify(in, k)
	in.HasObject, in.HasOld = in.New.Valid(), in.Previous.Valid()
	in.Object, in.Old = match.LabelsOf(in.New), match.LabelsOf(in.Previous)
	in.NamespaceLabels = e.NamespaceLabels(in.Namespace)
	if isNamespace(in) && in.HasObject {
		in.NamespaceLabels = in.Object
	}
	if !e.options.IsClosed {
		in.addUnknown()
	}
	return in
}

func operationOf(o Object) string {
	switch {
	case o.Operation != "":
		return o.Operation
	case o.Old.Valid():
		return Update
	}
	return Create
}

// complete edits an object into what a server has when it asks policies.
func complete(n manifest.Node, k *catalog.Kind) {
	k.Prepare(n)
	if k.Resource.Native {
		decoded.Complete(n, k.Schema)
	}
}

func isNamespace(in *Input) bool { return in.Resource.Group == "" && in.Resource.Kind == "Namespace" }

// identify reads the name and the namespace.
func (e *Evaluator) identify(in *Input, k *catalog.Kind) {
	object := in.New
	if !object.Valid() {
		object = in.Previous
	}
	meta := object.At("metadata")
	in.Name = meta.TextAt("name")
	in.HasKnownName = in.Name != "" || meta.TextAt("generateName") == ""
	if !in.HasKnownName && e.options.IsClosed {
		in.Name, in.HasKnownName = meta.TextAt("generateName")+"abcde", true
	}
	switch {
	case isNamespace(in):
		in.Namespace = in.Name
	case k.Resource.Namespaced:
		if in.Namespace = meta.TextAt("namespace"); in.Namespace == "" {
			in.Namespace = "default"
		}
		for _, n := range []manifest.Node{in.New, in.Previous} {
			if meta := n.At("metadata"); n.Valid() && meta.Valid() && meta.Type() == manifest.Map && meta.TextAt("namespace") == "" {
				if f, ok := meta.Field("namespace"); ok {
					meta.DropField(f)
				}
				meta.AddText("namespace", in.Namespace)
			}
		}
	}
}

// equivalents returns the other versions that a server stores as the same resource. Custom resources are taken to differ only in
// apiVersion. It does not say how kinds of Kubernetes are converted.
func equivalents(k *catalog.Kind, versions []string) (list []match.Resource, isConvertible bool) {
	if k.Resource.Native {
		for _, other := range nativeEquivalents {
			if other.Group == k.Group && other.Kind == k.Name || k.Name == "Event" && other.Kind == "Event" {
				if other.Group != k.Group || other.Version != k.Version {
					list = append(list, other)
				}
			}
		}
		return list, false
	}
	for _, version := range versions {
		if version != k.Version {
			list = append(list, match.Resource{Group: k.Group, Version: version, Plural: k.Plural, Kind: k.Name})
		}
	}
	return list, true
}

// nativeEquivalents are the resources that a server has under several names by default.
var nativeEquivalents = []match.Resource{
	{Group: "autoscaling", Version: "v1", Plural: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler"},
	{Group: "autoscaling", Version: "v2", Plural: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler"},
	{Group: "", Version: "v1", Plural: "events", Kind: "Event"},
	{Group: "events.k8s.io", Version: "v1", Plural: "events", Kind: "Event"},
}

// setByServer are the fields of metadata that a server sets, on create and on update.
var setByServer = map[string][]string{
	Create: {"uid", "creationTimestamp", "managedFields", "generation"},
	Update: {"uid", "creationTimestamp", "managedFields", "generation", "resourceVersion"},
	Delete: {"uid", "creationTimestamp", "managedFields", "generation", "resourceVersion", "deletionTimestamp"},
}

// setByPlugins are the fields of spec that a server sets on create unless they are set: by admission plugins that are on by
// default, and by what allocates addresses.
var setByPlugins = map[match.Resource][]string{
	{Version: "v1", Plural: "pods", Kind: "Pod"}: {"priority", "preemptionPolicy", "serviceAccountName", "serviceAccount"},
	{Version: "v1", Plural: "services", Kind: "Service"}: {
		"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort",
	},
	{Version: "v1", Plural: "persistentvolumeclaims", Kind: "PersistentVolumeClaim"}:  {"storageClassName"},
	{Group: "networking.k8s.io", Version: "v1", Plural: "ingresses", Kind: "Ingress"}: {"ingressClassName"},
}

// addUnknown adds what of the objects only a server knows.
func (in *Input) addUnknown() {
	metadata := unknownFields("object.metadata.", setByServer[in.Operation], manifest.Node{})
	if !in.HasKnownName {
		metadata.Fields["name"] = &cel.Unknown{Name: "object.metadata.name"}
	}
	in.NewUnknown = &cel.Unknown{Fields: map[string]*cel.Unknown{"metadata": metadata}}
	if spec := unknownFields("object.spec.", setByPlugins[in.Resource], in.New.At("spec")); in.Operation == Create && len(spec.Fields) > 0 {
		in.NewUnknown.Fields["spec"] = spec
	}
	in.PreviousUnknown = &cel.Unknown{Fields: map[string]*cel.Unknown{
		"metadata": unknownFields("oldObject.metadata.", setByServer[in.Operation], manifest.Node{}),
	}}
}

// unknownFields returns fields of an object that are not known unless they are set.
func unknownFields(path string, names []string, in manifest.Node) *cel.Unknown {
	u := &cel.Unknown{Fields: map[string]*cel.Unknown{}}
	for _, name := range names {
		if !in.At(name).Valid() {
			u.Fields[name] = &cel.Unknown{Name: path + name}
		}
	}
	return u
}
