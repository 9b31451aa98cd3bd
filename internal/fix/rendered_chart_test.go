package fix

import "testing"

const (
	deployment = "shop/templates/deployment.yaml"
	service    = "shop/templates/service.yaml"
	helpers    = "shop/templates/_helpers.tpl"
	values     = "shop/values.yaml"
)

// A fault of a chart is fixed in the template or in the values, or it stays.
func TestFaultsOfChartsAreFixedWhereTheyAreWritten(t *testing.T) {
	wantPlanted(t, "chart.txtar", []plantedFault{
		// In templates.
		{name: "case of a field", file: deployment, good: "  replicas:", bad: "  Replicas:"},
		{name: "hyphens in a field", file: deployment, good: "terminationGracePeriodSeconds", bad: "termination-grace-period-seconds"},
		{name: "misspelled field", file: deployment, good: "volumeMounts:", bad: "volumeMunts:", isUnsafe: true},
		{name: "misspelled field, safe only", file: deployment, good: "volumeMounts:", bad: "volumeMunts:", fixed: "-"},
		{name: "case of a value", file: deployment, good: "restartPolicy: Always", bad: "restartPolicy: always"},
		{name: "nearest value", file: deployment, good: "type: Recreate", bad: "type: Recrate", isUnsafe: true},
		{name: "string for a list", file: deployment, good: "command: [shop]", bad: "command: shop", isUnsafe: true},
		{name: "string for a list below", file: deployment, good: "args:\n        - --level", bad: "args: --level",
			fixed: `args: ["--level"]`, isUnsafe: true},
		{name: "case of a kind", file: deployment, good: "kind: Deployment", bad: "kind: deployment"},
		{name: "case of a version", file: deployment, good: "apps/v1", bad: "apps/V1"},
		{name: "removed version", file: deployment, good: "apps/v1", bad: "apps/v1beta2"},
		{name: "field in one rendering", file: deployment, good: "Seconds: 30", bad: `Seconds: "30"`},
		{name: "quoted port", file: service, good: "targetPort: 80", bad: `targetPort: "80"`},
		{name: "field of another file", file: service, good: "  selector:", bad: "  Selector:"},
		{name: "number in a helper", file: helpers, good: `tier: "1"`, bad: "tier: 1"},
		{name: "quotes in a helper", file: helpers, good: "containerPort: 80", bad: `containerPort: "80"`},
		{name: "value in a helper", file: helpers, good: "protocol: TCP", bad: "protocol: tcp"},
		{name: "number in data", file: "shop/templates/config.yaml", good: `number: "1"`, bad: "number: 1"},
		{name: "twice the same field", file: service, good: "  selector:\n    app: shop\n",
			bad: "  selector:\n    app: shop\n  selector:\n    app: shop\n", fixed: "-"},
		{name: "number after an action", file: deployment, good: "value: {{ $value | quote }}", bad: "value: {{ $value }}", fixed: "-"},
		{name: "quotes of an action", file: deployment, good: "replicas: {{ .Values.replicas }}",
			bad: "replicas: {{ .Values.replicas | quote }}", fixed: "-"},
		{name: "quotes around an action", file: deployment, good: "hostNetwork: {{ .Values.hostNetwork }}",
			bad: `hostNetwork: "{{ .Values.hostNetwork }}"`, fixed: "-"},
		{name: "no quotes around an action", file: deployment, good: `value: "{{ .Values.zone }}"`,
			bad: "value: {{ .Values.zone }}", fixed: "-"},
		// In values.
		{name: "case of a value that is printed", file: values, good: "policy: Always", bad: "policy: always"},
		{name: "case of a value in quotes", file: values, good: `protocol: "TCP"`, bad: `protocol: "tcp"`},
		{name: "nearest value that is printed", file: values, good: "type: ClusterIP", bad: "type: ClustrIP", isUnsafe: true},
		{name: "mode", file: values, good: "mode: 0644", bad: "mode: 644", isUnsafe: true},
		{name: "number in labels", file: values, good: `version: "1.10"`, bad: "version: 1.10"},
		{name: "quantity", file: values, good: "memory: 64Mi", bad: "memory: 64mi", isUnsafe: true},
		{name: "key in values", file: values, good: "httpGet:", bad: "httpget:"},
		{name: "quotes in values", file: values, good: "path: /, port: 80", bad: `path: /, port: "80"`},
		{name: "case of a value in a list", file: values, good: "operator: Exists", bad: "operator: exists"},
		{name: "word for a boolean", file: values, good: "hostNetwork: false", bad: `hostNetwork: "none"`, fixed: "-", isUnsafe: true},
		{name: "key in a list of values", file: values, good: "- key: spot\n  operator", bad: "- key: spot\n  Operator"},
		{name: "value of another set", file: "shop/ci/test-values.yaml", good: "replicas: 3", bad: "replicas: three", fixed: "-"},
		{name: "value of another set, case", file: "shop/ci/test-values.yaml", good: "replicas: 3", bad: "replicas: 3\npolicy: never",
			fixed: "replicas: 3\npolicy: Never"},
	})
}
