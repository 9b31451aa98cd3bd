package kustomize

import (
	"errors"
	"strings"
	"testing"
)

func TestMessagesNameObjectsAndTypesInWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{
			"nothing selected by Pod.[noVer].[noGrp]/[noName].[noNs]",
			"nothing selected by Pod",
		},
		{
			"nothing selected by [noKind].[noVer].apps/[noName].b",
			"nothing selected by object in namespace b",
		},
		{
			"no resource matches strategic merge patch \"Role.v1.rbac.io/a:é.b\"",
			"no resource matches strategic merge patch Role \"a:é\" in namespace b",
		},
		{
			"may not add resource with an already registered id: ConfigMap.v1.[noGrp]/a.[noNs]': x",
			"ConfigMap \"a\" is already a resource",
		},
		{
			"plugin LabelTransformer.builtin.[noGrp]/x.[noNs] fails configuration: error unmarshaling " +
				"JSON: while decoding JSON: json: cannot unmarshal array into Go struct field " +
				"LabelTransformerPlugin.labels of type map[string]string",
			"the configuration of LabelTransformer is invalid: labels must be an object, got an array",
		},
		{
			"json: cannot unmarshal number 1.5 into Go struct field Replica.replica.count of type int64",
			"replica.count must be an integer, got a number",
		},
		{
			"json: cannot unmarshal bool into Go value of type []string",
			"the value must be an array, got a boolean",
		},
		{
			"unable to find patch target \"[noKind].[noVer].[noGrp]/(.[noNs]:a=:l=\" in `resources`: bad",
			"the target of the patch is invalid: bad",
		},
		{
			"merging vars [{X Pod.v1.[noGrp] {}}]: var 'X' already encountered",
			"the variable \"X\" is already set",
		},
		{
			"var '{X Secret.v1.[noGrp] {data.x}}' cannot be mapped to a field in the set of known " +
				"resources",
			"no resource has the field of the variable \"X\"",
		},
	} {
		if have := messageOf(errors.New(c.text)); have != c.want {
			t.Errorf("%s\nhave %s\nwant %s", c.text, have, c.want)
		}
	}
}

// The library reports one of several ambiguous references, another one in each run.
func TestTheMessageOfAmbiguousReferencesIsTheSameInEachRun(t *testing.T) {
	var objects []string
	for _, id := range []string{"a/w", "b/w", "c/w", "b/x", "a/x", "a/ü"} {
		namespace, name, _ := strings.Cut(id, "/")
		objects = append(objects, "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: "+name+", namespace: "+namespace+"}\n")
	}
	for _, name := range []string{"x", "w", "z"} {
		objects = append(objects, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\n"+
			"metadata: {name: of-"+name+"}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\n"+
			"subjects: [{kind: ServiceAccount, name: "+name+"}]\n")
	}
	for range 20 {
		found := faultsOf(t, map[string]string{
			"top/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: p-\n", "top/a.yaml": strings.Join(objects, "---\n"),
		})
		want := `references are ambiguous: objects in several namespaces are named ServiceAccount "w", ServiceAccount "x"`
		if len(found) != 1 || found[0].Message != want {
			t.Fatalf("have %v, want %s", found, want)
		}
	}
}
