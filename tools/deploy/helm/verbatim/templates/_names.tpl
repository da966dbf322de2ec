{{- define "verbatim.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end -}}
{{- end }}

{{- define "verbatim.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "verbatim.metadata" -}}
name: {{ include "verbatim.name" . }}
labels:
  {{- include "verbatim.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- /* The metadata of what a Prometheus must select. */ -}}
{{- define "verbatim.monitored" -}}
{{ include "verbatim.metadata" . }}
{{- with .Values.monitoring.labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
