{{- define "site.host" -}}
{{ required "set host to the name of the site" .Values.host }}
{{- end -}}
