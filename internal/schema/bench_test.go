package schema_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/schema"
	"github.com/kindvet/kindvet/internal/source"
)

// BenchmarkCheck checks the structure of all good examples, one after another. They have been checked once before, so
// their defaults are already filled in.
func BenchmarkCheck(b *testing.B) {
	type document struct {
		root manifest.Node
		kind *catalog.Kind
	}
	var documents []document
	bytes := 0
	registry := catalog.Embedded()
	examples := os.DirFS(filepath.Join("..", "..", "testdata", "kinds"))
	err := fs.WalkDir(examples, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "good-") || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := fs.ReadFile(examples, path)
		if err != nil {
			return err
		}
		src := &source.Source{Name: path, Text: string(text)}
		for part := range manifest.Parts(src) {
			tree := &manifest.Tree{}
			tree.Read(src, part)
			apiVersion, _ := tree.Root().Field("apiVersion")
			name, _ := tree.Root().Field("kind")
			group, version := catalog.SplitAPIVersion(apiVersion.Text())
			kind, isList, ok := registry.Lookup(group, version, name.Text())
			if !ok || isList || len(schema.Check(tree.Root(), kind.Schema, kind.Resource, manifest.Node{})) > 0 {
				continue
			}
			documents = append(documents, document{tree.Root(), kind})
			bytes += len(text)
		}
		return nil
	})
	if err != nil || len(documents) == 0 {
		b.Fatalf("%d documents, %v", len(documents), err)
	}
	b.SetBytes(int64(bytes / len(documents)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		d := documents[i%len(documents)]
		i++
		schema.Check(d.root, d.kind.Schema, d.kind.Resource, manifest.Node{})
	}
}

// BenchmarkCheckNative checks a Deployment of 60 lines, as the API server decodes it.
func BenchmarkCheckNative(b *testing.B) {
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
		if violations := schema.Check(tree.Root(), kind.Schema, kind.Resource, manifest.Node{}); len(violations) > 0 {
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
