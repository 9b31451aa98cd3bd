package workspace

import (
	"context"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

// No text in a report is long, even if any text in a manifest may be.
func TestNoTextOfAReportIsLong(t *testing.T) {
	const most = 2500
	long, digits := strings.Repeat("x", 100_000), strings.Repeat("1", 100_000)
	const token = "apiVersion: resources.vendor.dev/v2\nkind: VendorProvisionToken\n"
	const params = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: one}\n"
	for name, text := range map[string]string{
		"number.json":    `{"apiVersion": "elbv2.platform.cloud/v1beta1", "kind": "IngressClassParams", "spec": {"scheme": ` + digits + `}}`,
		"no-number.json": `{"apiVersion": "elbv2.platform.cloud/v1beta1", "kind": "IngressClassParams", "spec": {"scheme": ` + digits + `e}}`,
		"key.json": `{"apiVersion": "elbv2.platform.cloud/v1beta1", "kind": "IngressClassParams", "` + long +
			`": {"` + long + `": 1}}`,
		"no-colon.json": `{"` + long + `" 1}`,
		"twice.json":    `{"` + long + `": 1, "` + long + `": 2}`,
		"number.yaml":   params + "spec: {scheme: " + digits + "}\n",
		"string.yaml": params + "spec: {scheme: " + long + ", inboundCIDRs: [" + long +
			"], subnets: {tags: {role: " + long + "}}}\n",
		"key.yaml":      params + "spec:\n  tags:\n  - ? " + long + "\n    : {" + long[:900] + ": 1}\n",
		"same-key.yaml": params + "spec: {? " + digits[:18] + "\n : 1, '" + digits[:18] + "': 2}\n",
		"name.yaml": "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: " +
			long + ", namespace: " + long + "}\nspec: 1\n",
		"generate-name.yaml": "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {generateName: " + long + "}\n",
		"kind.yaml":          "apiVersion: elbv2.platform.cloud/v1beta1\nkind: " + long + "\n",
		"group.yaml":         "apiVersion: " + long + "/v1\nkind: IngressClassParams\n",
		"version.yaml":       "apiVersion: elbv2.platform.cloud/" + long + "\nkind: IngressClassParams\n",
		"core.yaml":          "apiVersion: " + long + "\nkind: " + long + "\n",
		"slashes.yaml":       "apiVersion: a/" + long + "/b\nkind: IngressClassParams\n",
		"labels.yaml":        "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata:\n  labels:\n    ? " + long + "/\n    : " + long + "\n  finalizers: [" + long + "/]\n  ownerReferences: [{kind: " + long + ", " + long[:900] + ": 1}]\n  creationTimestamp: " + long + "\n",
		"separator.yaml":     "a: b\n--- " + long + "\n", "alias.yaml": "a: *" + long + "\n",
		"tag.yaml":        "a: !!int " + long + "\n",
		"escape.yaml":     `a: "\q` + long + `"` + "\n",
		"comment.yaml":    params + "spec: # kindvet:ignore[" + long + "] " + long + "\n# kindvet:" + long + "\n",
		"annotation.yaml": "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata:\n  name: a\n  annotations: {kindvet/ignore: " + long + "=" + long + "}\n",
		"list.yaml": "apiVersion: v1\nkind: List\n? " + long + "\n: 1\nitems: [{apiVersion: " + long + ", kind: " +
			long + "}]\n",
		"list-of-kind.yaml": "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParamsList\nitems: [{apiVersion: " + long + ", kind: " + long + "}]\n",
		"secret.yaml":       token + "metadata: {name: " + long + "}\nspec: {join_method: token, " + long[:900] + ": 1}\n",
		"schema.yaml":       "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {group: " + long + ", scope: " + long + ", names: {kind: " + long + ", plural: " + long + "}, " + long[:900] + ": 1, versions: [{name: " + long + ", schema: {openAPIV3Schema: {type: " + long + "}}}]}\n",
		"reason-of-rule.yaml": params + "spec: {inboundCIDRs: [0.0.0.0/0]} # kindvet:ignore[ingress/open-inbound-cidr] " +
			long + "\n",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		result, err := runHere(context.Background(), Options{
			Files: find.Options{Paths: []string{file},
				NoConfig: true},
			Check:    check.Options{Objects: true, UnknownKinds: check.Fail},
			Settings: settings.Options{Lint: rule.Options{Profile: "all"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Report.Violations)+len(result.Report.Suppressed) == 0 {
			t.Errorf("%s: no findings", name)
		}
		result.Report.Rules = nil // texts of rules
		eachText(reflect.ValueOf(result.Report), func(text string) {
			if len(text) > most {
				t.Errorf("%s: a text of %d bytes: %.200s", name, len(text), text)
			}
		})
	}
}

// eachText calls found for each string in a value.
func eachText(v reflect.Value, found func(string)) {
	switch v.Kind() {
	case reflect.String:
		found(v.String())
	case reflect.Slice:
		for i := range v.Len() {
			eachText(v.Index(i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachText(v.Field(i), found)
		}
	}
}
