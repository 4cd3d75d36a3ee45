{{/* The pod, alike with the embedded database and with PostgreSQL. */}}
{{- define "tollgate.pod" -}}
metadata:
  labels: {{- include "tollgate.labels" . | nindent 4 }}
  annotations:
    checksum/config: {{ toYaml .Values.config | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  automountServiceAccountToken: false
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: tollgate
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      env:
        # A folder below the mount, because only its owner may open it and the mount belongs to the group.
        - name: TOLLGATE_DATA
          value: /data/tollgate
        {{- with .Values.publicUrl }}
        - name: TOLLGATE_PUBLIC_URL
          value: {{ . | quote }}
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      {{- if .Values.postgresql.enabled }}
      envFrom:
        - secretRef:
            name: {{ required "existingSecret with DATABASE_URL and TOLLGATE_SECRET is missing" .Values.existingSecret }}
      {{- else if .Values.existingSecret }}
      envFrom:
        - secretRef:
            name: {{ .Values.existingSecret }}
      {{- end }}
      ports:
        - name: http
          containerPort: 8080
      startupProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 1
        failureThreshold: 120
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 2
        failureThreshold: 1
      livenessProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- if .Values.config }}
        - name: config
          mountPath: /data/tollgate.yaml
          subPath: tollgate.yaml
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if .Values.postgresql.enabled }}
    # The socket of the CLI; everything that lasts is in the database.
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if .Values.config }}
    - name: config
      configMap:
        name: {{ .Release.Name }}-config
    {{- end }}
  {{- if .Values.postgresql.enabled }}
  topologySpreadConstraints:
    {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "tollgate.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
