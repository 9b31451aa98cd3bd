package gitops

import (
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// field is a path of fields, such as spec.source.path. "" means that there is no such field.
type field string

// layout says which fields of a kind have which meaning.
type layout struct {
	group, kind string
	// isRepository means that the kind defines a repository.
	isRepository bool
	// sources are where the sources are: a map, or a list of maps.
	sources []field
	// only says what may be at the path.
	only What

	// The following fields are in a source. repository has the kind, name and namespace of an object with the URL.
	path, url, revision, ref, repository field
	// chart, kustomization and directory have options; at most one of them is set.
	chart, kustomization, directory field
	recurse, include, exclude       field
	isRecursive                     bool // in any case
	isBuilt                         bool // a plain directory is a kustomization of its files; a chart is not rendered
	valueFiles, mayBeMissing        field
	values                          []field // the first one that is set counts
	valuesFrom                      field   // objects with values, which those of values override
	later                           field   // changes of what the chart writes
	parameters, isString            field
	release, namespace              field
	kubeVersion, apiVersions        field
	skipsSchema                     field
	unknown                         []field // their effect is not known
	// overrides are files in the path whose effect is not known either. NAME stands for the name of the object.
	overrides []string

	edits                     []edit // of a kustomization
	replacesImages            bool
	variables, otherVariables field // known and unknown ones, which are replaced in what is built

	// defaultRelease and defaultNamespace are in the whole object.
	defaultRelease, defaultNamespace field
	// isPrefixed means that the default name of the release starts with the namespace if the source has one.
	isPrefixed bool
	// hasOwnDefaults means that files of values replace that of the chart. Their paths start at the top of the
	// repository.
	hasOwnDefaults bool
	// hasVariables means that another object may replace variables such as ${NAME}.
	hasVariables bool
	// isTemplate means that the fields are templates, which generators of the object fill.
	isTemplate bool
}

// layouts are the kinds of objects, as described by
// https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/ and
// https://fluxcd.io/flux/components/.
var layouts = []layout{argoCD("Application", ""), argoCD("ApplicationSet", "spec.template."), {
	group: "helm.toolkit.fluxcd.io", kind: "HelmRelease", sources: []field{"spec"}, only: Chart,
	path: "chart.spec.chart", repository: "chart.spec.sourceRef",
	valueFiles: "chart.spec.valuesFiles", mayBeMissing: "chart.spec.ignoreMissingValuesFiles", hasOwnDefaults: true,
	values: []field{"values"}, release: "releaseName", namespace: "targetNamespace",
	skipsSchema:    "install.disableSchemaValidation",
	defaultRelease: "metadata.name", defaultNamespace: "metadata.namespace", isPrefixed: true, hasVariables: true,
	unknown: []field{"chartRef"}, valuesFrom: "valuesFrom", later: "postRenderers",
}, {
	group: "kustomize.toolkit.fluxcd.io", kind: "Kustomization", sources: []field{"spec"},
	path: "path", repository: "sourceRef", isRecursive: true, isBuilt: true,
	unknown: []field{"patchesStrategicMerge", "patchesJson6902"},
	edits: []edit{
		{"namespace", "targetNamespace", same}, {"namePrefix", "namePrefix", same}, {"nameSuffix", "nameSuffix", same},
		{"images", "images", same}, {"patches", "patches", same}, {"components", "components", same},
		{"labels", "commonMetadata.labels", metadata},
	},
	variables: "postBuild.substitute", otherVariables: "postBuild.substituteFrom",
}, {
	group: "source.toolkit.fluxcd.io", kind: "GitRepository", isRepository: true, url: "spec.url", revision: "spec.ref",
}}

// argoCD returns the layout of a kind of Argo CD. in is where it has the fields of an Application.
func argoCD(kind string, in field) layout {
	return layout{
		group: "argoproj.io", kind: kind, sources: []field{in + "spec.source", in + "spec.sources"},
		path: "path", url: "repoURL", revision: "targetRevision", ref: "ref",
		chart: "helm", kustomization: "kustomize", directory: "directory", recurse: "directory.recurse",
		valueFiles: "helm.valueFiles", mayBeMissing: "helm.ignoreMissingValueFiles",
		values: []field{"helm.valuesObject", "helm.values"}, parameters: "helm.parameters", isString: "forceString",
		release: "helm.releaseName", namespace: "helm.namespace",
		kubeVersion: "helm.kubeVersion", apiVersions: "helm.apiVersions", skipsSchema: "helm.skipSchemaValidation",
		defaultRelease: in + "metadata.name", defaultNamespace: in + "spec.destination.namespace", isTemplate: in != "",
		include: "directory.include", exclude: "directory.exclude",
		unknown:   []field{"plugin", "chart", "helm.fileParameters", "directory.jsonnet"},
		overrides: []string{".argocd-source.yaml", ".argocd-source-NAME.yaml"},
		edits: []edit{
			{"namePrefix", "kustomize.namePrefix", same}, {"nameSuffix", "kustomize.nameSuffix", same},
			{"namespace", "kustomize.namespace", same}, {"images", "kustomize.images", imageTexts},
			{"commonLabels", "kustomize.commonLabels", labels}, {"commonAnnotations", "kustomize.commonAnnotations", same},
			{"replicas", "kustomize.replicas", same}, {"patches", "kustomize.patches", same},
			{"components", "kustomize.components", same},
		},
		replacesImages: true,
	}
}

// at returns the node of a field below n; false if there is none or if it is null.
func (f field) at(n manifest.Node) (manifest.Node, bool) {
	if f == "" || n.Type() != manifest.Map {
		return n, false
	}
	for name := range strings.SplitSeq(string(f), ".") {
		if n.Type() != manifest.Map {
			return n, false
		}
		child, ok := n.Field(name)
		if !ok {
			return n, false
		}
		n = child
	}
	return n, n.Type() != manifest.Null
}

// text returns the scalar of a field, or "".
func (f field) text(n manifest.Node) string {
	found, ok := f.at(n)
	if !ok || found.Type() == manifest.Map || found.Type() == manifest.List {
		return ""
	}
	return scalar(found)
}

// scalar returns a scalar as text, such as 1.20 as it is written.
func scalar(n manifest.Node) string {
	if n.Type() == manifest.String {
		return n.Text()
	}
	return n.Raw()
}

// isSet reports whether a field is true.
func (f field) isSet(n manifest.Node) bool {
	found, ok := f.at(n)
	return ok && found.Type() == manifest.Boolean && found.Boolean()
}

// items returns the items of a list, or a map as its only item.
func (f field) items(n manifest.Node) (items []manifest.Node) {
	found, ok := f.at(n)
	if !ok {
		return nil
	}
	if found.Type() != manifest.List {
		return []manifest.Node{found}
	}
	for item := range found.Children() {
		items = append(items, item)
	}
	return items
}
