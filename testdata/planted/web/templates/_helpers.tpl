{{- define "web.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "web.container" -}}
name: {{ .name }}
image: {{ .image.repository }}:{{ .image.tag }}
imagePullPolicy: {{ .policy }}
ports:
- containerPort: {{ .port }}
  protocol: TCP
{{- end -}}

{{- define "web.port" -}}
name: {{ .name | quote }}
port: {{ .port }}
{{- end -}}
