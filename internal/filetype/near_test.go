package filetype

import (
	"slices"
	"strings"
	"testing"
)

// names returns the names in the directories of a path. Each directory is written as its names with blanks, from that of
// the file upwards.
func names(directories ...string) Names {
	return func(levels int) ([]string, bool) {
		if levels >= len(directories) {
			return nil, false
		}
		return strings.Fields(directories[levels]), true
	}
}

const (
	pod = "{apiVersion: v1, kind: Pod}"
	crd = "{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition}"
)

func TestANameIsOnlyThatOfATestNearTheToolOfTheTest(t *testing.T) {
	for _, c := range []struct {
		file string
		near Names
		want string
		text string
	}{
		{"tests/a/00-assert.yaml", names("00-assert.yaml"), "", pod},
		{"tests/a/00-assert.yaml", names("00-assert.yaml", "a kuttl-test.yaml"), "expected state of a test", pod},
		{"tests/a/00-assert.yaml", names("00-assert.yaml", "a", "kuttl.yml"), "expected state of a test", pod},
		{"tests/a/00-assert.yaml", names("00-assert.yaml 00-install.yaml"), "expected state of a test", pod},
		{"tests/a/00-assert.yaml", names("00-assert.yaml 01-install.yaml"), "", pod},
		{"tests/a/00-assert.yaml", names("00-assert.yaml 00-errors.yaml"), "", pod},
		{"tests/a/00-assert.yaml", names("00-assert.yaml", "a 00-install.yaml"), "", pod},
		{"tests/00-errors.yaml", names("00-errors.yaml kuttl-test.yaml"), "expected state of a test", pod},
		{"deploy/10-error-pages.yaml", names("10-error-pages.yaml 10-web.yaml kuttl-test.yaml"), "", pod},
		{"deploy/assert.yaml", names("assert.yaml deploy.yaml"), "", pod},
		{"deploy/assert.yaml", names("assert.yaml chainsaw-test.yaml"), "expected state of a test", pod},
		{"deploy/a-assert.yaml", names("a-assert.yaml", "deploy .chainsaw.yaml"), "expected state of a test", pod},
		{"deploy/kuttl-assert.yaml", names("kuttl-assert.yaml"), "", pod},
		{"e2e-tests/init/compare/statefulset.yml", names("statefulset.yml", "compare"), "", pod},
		{"e2e-tests/init/compare/statefulset.yml", names("statefulset.yml", "compare run"), "expected state of a test", pod},
		{"a/__snapshot__/pod.yaml", names("pod.yaml", "__snapshot__ templates"), "", pod},
		{"a/__snapshot__/pod.yaml", names("pod.yaml", "__snapshot__ pod_test.yaml"), "snapshot of a test", pod},
		{"deploy/patch.yaml", names("patch.yaml", "deploy"), "", pod},
		{"deploy/patch.yaml", names("kustomization.yml patch.yaml"), "patch of a kustomization", pod},
		{"deploy/a.patch.yaml", names("a.patch.yaml", "deploy kustomization.yaml"), "patch of a kustomization", pod},
		{"patches/etcd-backup.yaml", names("etcd-backup.yaml", "patches"), "", pod},
		{
			"patches/etcd-backup.yaml", names("etcd-backup.yaml", "patches kind.yaml"), "",
			"{apiVersion: batch/v1, kind: CronJob}",
		},
		{"patches/etcd0+merge.yaml", names("etcd0+merge.yaml", "patches kubeadm-config.yaml"), "kubeadm patch", pod},
		{"vendor/k8s.io/a/b.yaml", names("b.yaml", "a", "k8s.io"), "", crd},
		{"vendor/k8s.io/a/b.yaml", names("b.yaml", "a", "k8s.io modules.txt"), "CRD in a vendored Go module", crd},
		{
			"vendor/k8s.io/apimachinery/pkg/util/managedfields/pod.yaml", names("pod.yaml", "", "", "", "", "modules.txt"),
			"test object in a vendored Go module", pod,
		},
	} {
		have := ""
		if f, ok := FormatOf(document(c.text), Near(c.file, c.near)); ok {
			have = f.Name
		}
		if have != c.want {
			t.Errorf("%s: have %q, want %q", c.file, have, c.want)
		}
	}
}

func TestANameAloneHidesNoObject(t *testing.T) {
	for _, f := range Types() {
		isObject := !slices.Contains(f.lacks, "metadata") // no server accepts one without
		if f.objects && isObject && len(f.groups) == 0 && len(f.text) == 0 && len(f.near) == 0 {
			t.Errorf("%s: any object in a file with the name has the format; it needs groups, text or near", f.Name)
		}
		if len(f.near) > 0 && (len(f.files) == 0 || !f.objects) {
			t.Errorf("%s: near needs files and objects", f.Name)
		}
	}
}

func TestATextInACommentIsNone(t *testing.T) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for text, want := range map[string]bool{
		"": false, "# {{ a }}\n": false, "data: {} # {{ a }}\n": false, "data: {a: '{{ a }}'}\n": true,
		"# {{ a }}\ndata: {a: '{{ a }}'}\n": true, "# {{ a }}\n# {{ b }}": false,
	} {
		if _, have := At("a.j2.yaml").OfObject(document(object + text)); have != want {
			t.Errorf("%q: have %v, want %v", text, have, want)
		}
	}
}
