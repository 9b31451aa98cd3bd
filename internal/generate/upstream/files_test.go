package upstream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// small returns two small versions of Kubernetes, written to a directory, and the files that follow from them.
func small(t *testing.T) (modules []Modules, want []txtar.File) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "versions.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			want = append(want, f)
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return []Modules{
		{29, filepath.Join(dir, "1.29", "kubernetes"), filepath.Join(dir, "1.29", "api")},
		{30, filepath.Join(dir, "1.30", "kubernetes"), filepath.Join(dir, "1.30", "api")},
	}, want
}

func TestFilesAreTheUnionOfTheVersions(t *testing.T) {
	modules, want := small(t)
	have, err := files(modules, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(have) != len(want) {
		t.Fatalf("%d files, want %d", len(have), len(want))
	}
	for i, f := range have {
		text := strings.TrimPrefix(string(f.Text), licence)
		if "want/"+f.Name != want[i].Name || text != string(want[i].Data) {
			t.Errorf("%s, have\n%s\nwant %s\n%s", f.Name, text, want[i].Name, want[i].Data)
		}
	}
}

func TestSourcesThatCannotBeReadAreErrors(t *testing.T) {
	const openapi, features = "pkg/generated/openapi/zz_generated.openapi.go", "pkg/features/kube_features.go"
	for _, c := range []struct{ file, old, new, want string }{
		{openapi, "Enum:", "MaxLength:", "MaxLength: unknown keyword"},
		{openapi, `ref("k8s.io/api/core/v1.Item`, `ref("k8s.io/api/core/v1.Lost`, "unknown type core.v1.Lost"},
		{openapi, "apimachinery/pkg/api/resource.Quantity", "other.Quantity", "memory: Ref: unknown package k8s.io/other"},
		{openapi, `[]string{"boolean"}`, "f()", "removed: SchemaProps: Type: unexpected call"},
		{features, "Early:", "Other:", "unknown feature gate Early"},
		{features, "Default: false", "Default: 1.5", "Early: Default: unexpected literal 1.5"},
		{"../api/core/v1beta1/register.go", "GroupName", "Other", "no constant GroupName"},
		{"api/discovery/api__v1.json", "{", "", "api__v1.json: "},
	} {
		modules, _ := small(t)
		name := filepath.Join(modules[0].Kubernetes, filepath.FromSlash(c.file))
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), c.old) {
			t.Fatalf("%s does not contain %q (%v)", c.file, c.old, err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(text), c.old, c.new)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := files(modules[:1], nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s instead of %s: error %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

func TestTypeOfAFieldMustNotChange(t *testing.T) {
	in := func(minor int, kind string) version {
		field := &property{schema: schema{kind: kind}}
		return version{minor: minor, types: map[string]*object{"T": {properties: map[string]*property{"a": field}}}}
	}
	_, err := mergeTypes([]version{in(29, "string"), in(30, "integer")})
	if err == nil || err.Error() != "T: a: type string in 1.29, integer later" {
		t.Errorf("have %v", err)
	}
}

func TestFieldGateWithoutEffectIsAnError(t *testing.T) {
	for field, isError := range map[string]bool{"kept": false, "lost": true} {
		modules, _ := small(t)
		_, err := files(modules, map[[2]string]string{{"core.v1.Pod", field}: "Late"})
		if (err != nil) != isError {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestScalarsThatYAMLReadsOtherwiseAreQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"Always": "Always", "core.v1.Pod": "core.v1.Pod", "SIGRTMIN+1": `"SIGRTMIN+1"`, "": `""`, "*": `"*"`, "y": `"y"`,
		"No": `"No"`, "null": `"null"`, "1.30": `"1.30"`, "a: b": `"a: b"`,
	} {
		if have := scalar(text); have != want {
			t.Errorf("%q: have %s, want %s", text, have, want)
		}
	}
}
