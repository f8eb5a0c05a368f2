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
{{- /* The seconds of a length of time, rounded up: 1m30s is 90. */ -}}
{{- define "rialto.seconds" -}}
{{- $delay := toString . }}
{{- $minutes := regexFind "^[0-9]+m([0-9]|$)" $delay | regexFind "^[0-9]+" | default "0" }}
{{- $seconds := regexFind "[0-9.]+s$" $delay | trimSuffix "s" | default "0" }}
{{- add (mul (int $minutes) 60) (ceil (float64 $seconds)) }}
{{- end }}
{{- define "rialto.grpc" -}}{{ with .Values.config.grpc }}{{ with .listen }}{{ regexFind "[0-9]+$" . }}{{ end }}{{ end }}{{- end }}
{{- define "rialto.metrics" -}}{{ with .Values.config.metrics }}{{ with .listen }}{{ regexFind "[0-9]+$" . }}{{ end }}{{ end }}{{- end }}
{{- define "rialto.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}
{{- define "rialto.env" -}}
- {name: RIALTO_SECRET_FILE, value: /run/secrets/rialto/secret}
- name: RIALTO_DATABASE
  valueFrom:
    secretKeyRef: {name: {{ required "existingSecret is required: a Secret with database and secret" .Values.existingSecret | quote }}, key: database}
{{- end }}
{{- define "rialto.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- end }}
