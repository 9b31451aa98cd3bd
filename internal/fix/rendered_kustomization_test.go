package fix

import "testing"

// A fault of a kustomization is fixed in the base, patch or field that supplied the value, or it stays.
func TestFaultsOfKustomizationsAreFixedWhereTheyAreWritten(t *testing.T) {
	const (
		deployment = "base/deployment.yaml"
		service    = "base/service.yaml"
		patch      = "live/patch.yaml"
		limits     = "component/limits.yaml"
		test       = "test/kustomization.yaml"
		live       = "live/kustomization.yaml"
	)
	wantPlanted(t, "kustomizations.txtar", []plantedFault{
		// In the base.
		{name: "case of a field", file: deployment, good: "  replicas:", bad: "  Replicas:"},
		{name: "underscores in a field", file: deployment, good: "livenessProbe", bad: "liveness_probe"},
		{name: "misspelled field", file: deployment, good: "volumeMounts:", bad: "volumeMunts:", isUnsafe: true},
		{name: "misspelled field, safe only", file: deployment, good: "volumeMounts:", bad: "volumeMunts:", fixed: "-"},
		{name: "number for a string", file: deployment, good: `value: "3"`, bad: "value: 3"},
		{name: "string for a number", file: deployment, good: "  replicas: 2", bad: "  replicas: '2'"},
		{name: "case of a value", file: deployment, good: "restartPolicy: Always", bad: "restartPolicy: always"},
		{name: "nearest value", file: deployment, good: "type: Recreate", bad: "type: Recrate", isUnsafe: true},
		{name: "string for a list", file: deployment, good: "command: [shop]", bad: "command: shop", isUnsafe: true},
		{name: "mode", file: deployment, good: "defaultMode: 0644", bad: "defaultMode: 644", isUnsafe: true},
		{name: "port in quotes", file: deployment, good: "path: /, port: 80", bad: `path: /, port: "80"`},
		{name: "name of a volume", file: deployment, good: "- name: config\n", bad: "- name: confg\n", fixed: "-"},
		{name: "label", file: deployment, good: "labels: {team: shop}", bad: "labels: {team: 1.10}", fixed: `labels: {team: "1.10"}`},
		{name: "twice the same key", file: deployment, good: "  replicas: 2\n", bad: "  replicas: 2\n  replicas: 2\n"},
		{name: "case of a type", file: service, good: "type: ClusterIP", bad: "type: clusterIP"},
		{name: "field of a service", file: service, good: "selector:", bad: "Selector:"},
		{name: "protocol", file: service, good: "protocol: TCP", bad: "protocol: tcp"},
		{name: "target port", file: service, good: "targetPort: 80", bad: "targetPort: '80'"},
		{name: "data", file: "base/config.yaml", good: `number: "1"`, bad: "number: 1"},
		{name: "case of a kind", file: "base/config.yaml", good: "kind: ConfigMap", bad: "kind: Configmap"},
		{name: "removed version", file: deployment, good: "apps/v1", bad: "apps/v1beta2"},
		// In patches and components.
		{name: "string for a boolean", file: patch, good: "paused: false", bad: `paused: "false"`},
		{name: "boolean for a string", file: patch, good: `value: "true"`, bad: "value: true"},
		{name: "field in a patch", file: patch, good: "terminationGracePeriodSeconds", bad: "TerminationGracePeriodSeconds"},
		{name: "misspelled field in a patch", file: patch, good: "terminationGracePeriodSeconds",
			bad: "terminationGracePeriodSecond", isUnsafe: true},
		{name: "value in a patch", file: patch, good: "dnsPolicy: Default", bad: "dnsPolicy: default"},
		{name: "string for a number in a patch", file: patch, good: "Seconds: 30", bad: `Seconds: "30"`},
		{name: "quantity in a component", file: limits, good: "memory: 64Mi", bad: "memory: 64mi", isUnsafe: true},
		{name: "field in a component", file: limits, good: "limits:", bad: "Limits:"},
		{name: "value of an operation", file: test, good: "value: NodePort", bad: "value: nodePort"},
		{name: "patch in a kustomization", file: live, good: `stage: "2"`, bad: "stage: 2"},
		// In fields of kustomizations.
		{name: "tag", file: test, good: `newTag: "1.10"`, bad: "newTag: 1.10"},
		{name: "count", file: test, good: "count: 1", bad: `count: "1"`},
		{name: "field of a kustomization", file: test, good: "namePrefix", bad: "name-prefix"},
		{name: "misspelled field of a kustomization", file: live, good: "namespace:", bad: "namespce:", isUnsafe: true},
		{name: "label of a kustomization", file: test, good: `stage: "1"`, bad: "stage: 1"},
		{name: "annotation of a kustomization", file: "base/kustomization.yaml", good: "owner: shop", bad: "owner: 1",
			fixed: `owner: "1"`},
	})
}
