{{- define "rialto.name" -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- end }}
{{- define "rialto.selector" -}}
app.kubernetes.io/name: rialto
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "rialto.labels" -}}
{{ include "rialto.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
