{{- define "all.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- define "all.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "all.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
{{- define "all.selector" -}}
app.kubernetes.io/name: {{ include "all.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "all.container" }}
- name: {{ .name }}
  containerPort: {{ .port }}
  protocol: TCP
{{- end }}
{{- define "all.data" }}
  written: directly
  release: {{ .Release.Name }}
{{- end }}
