package check

import (
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/lint/sets"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// benchDocuments are valid documents of several kinds, as they are common in repositories.
var benchDocuments = []struct{ name, text string }{
	{"binding", `apiVersion: elbv2.platform.cloud/v1beta1
kind: TargetGroupBinding
metadata:
  name: checkout
  namespace: shop
  labels: {app.kubernetes.io/name: checkout, team: shop}
spec:
  targetType: ip
  serviceRef:
    name: checkout
    port: 80
  targetGroupARN: arn:cloud:elasticloadbalancing:eu-1:123456789012:targetgroup/checkout/0123456789abcdef
  networking:
    ingress:
      - from:
          - securityGroup: {groupID: sg-0123456789abcdef0}
          - ipBlock: {cidr: 192.0.2.0/24}
        ports:
          - port: 8080
            protocol: TCP
`},
	{"policy", `apiVersion: networking.platform.cloud/v1alpha1
kind: ClusterNetworkPolicy
metadata:
  name: shop
spec:
  tier: Admin
  priority: 10
  subject:
    namespaces:
      matchLabels: {team: shop}
  ingress:
    - name: from-front
      action: Accept
      from:
        - namespaces: {matchLabels: {team: front}}
      ports:
        - portNumber: {port: 443, protocol: TCP}
    - name: from-lab
      action: Deny
      from:
        - namespaces: {matchLabels: {team: lab}}
  egress:
    - name: packages
      action: Accept
      to:
        - namespaces: {matchLabels: {team: packages}}
`},
	{"deployment", `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1.10.2
          ports: [{containerPort: 8080}]
          env:
            - {name: MODE, value: "on"}
            - {name: LEVEL, value: info}
          resources:
            limits: {cpu: 500m, memory: 256Mi}
`},
}

// BenchmarkLint measures the lint rules on a valid document, and for comparison its parsing and schema check. With the
// profile all, the time includes that of findings.
func BenchmarkLint(b *testing.B) {
	for _, d := range benchDocuments {
		src := &source.Source{Name: "a.yaml", Text: d.text}
		b.Run(d.name+"/schema", func(b *testing.B) {
			var m Memory
			engine := New(Options{Catalog: catalog.Embedded(), UnknownKinds: Skip})
			b.ReportAllocs()
			for b.Loop() {
				engine.Check(&m, src, File{})
			}
		})
		tree := &manifest.Tree{}
		for part := range manifest.Parts(src) {
			tree.Read(src, part)
		}
		group, _ := catalog.SplitAPIVersion(tree.Root().TextAt("apiVersion"))
		document := &lint.Document{
			Document: sets.Document{Root: tree.Root(), Group: group, Kind: tree.Root().TextAt("kind")},
		}
		for _, profile := range []string{"recommended", "all"} {
			b.Run(d.name+"/"+profile, func(b *testing.B) {
				rules, err := lint.New(rule.Options{Profile: profile})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					written, checked := rules.Written(document), rules.Check(document)
					if found := append(written.Violations, checked.Violations...); len(found) > 0 && profile != "all" {
						b.Fatalf("%s: %s", found[0].Rule, found[0].Message)
					}
				}
			})
		}
	}
}
