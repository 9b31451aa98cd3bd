package native_test

import (
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// BenchmarkCheck checks a Deployment of 60 lines, as the API server decodes it.
func BenchmarkCheck(b *testing.B) {
	kind, _, ok := catalog.Embedded().Lookup("apps", "v1", "Deployment")
	if !ok {
		b.Fatal("there is no Deployment")
	}
	src, tree := &source.Source{Name: "a.yaml", Text: deployment}, &manifest.Tree{}
	b.SetBytes(int64(len(deployment)))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		readAll(tree, src)
		b.StartTimer()
		if violations := kind.Check(tree.Root(), manifest.Node{}); len(violations) > 0 {
			b.Fatal(violations[0].Message)
		}
	}
}

func readAll(tree *manifest.Tree, src *source.Source) {
	for part := range manifest.Parts(src) {
		tree.Read(src, part)
	}
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/part-of: shop
  annotations:
    example.com/owner: team-shop
spec:
  replicas: 3
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 0
  selector:
    matchLabels:
      app.kubernetes.io/name: web
  template:
    metadata:
      labels:
        app.kubernetes.io/name: web
        app.kubernetes.io/part-of: shop
    spec:
      serviceAccountName: web
      terminationGracePeriodSeconds: 30
      securityContext:
        runAsNonRoot: true
        fsGroup: 1000
      containers:
      - name: web
        image: registry.example.com/shop/web:1.2.3
        imagePullPolicy: IfNotPresent
        args: ["--port=8080", "--verbose"]
        env:
        - name: LOG_LEVEL
          value: info
        - name: PASSWORD
          valueFrom:
            secretKeyRef:
              name: web
              key: password
        ports:
        - name: http
          containerPort: 8080
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits: {memory: 256Mi}
        readinessProbe:
          httpGet:
            path: /ready
            port: http
          periodSeconds: 5
        volumeMounts:
        - name: config
          mountPath: /etc/web
      volumes:
      - name: config
        configMap:
          name: web
`
