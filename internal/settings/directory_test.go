package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/suppress"
)

const (
	params = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\nspec: {scheme: %s}\n"
	crd    = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: words.lab.example.com}
spec:
  group: lab.example.com
  names: {kind: Word, plural: words}
  scope: Cluster
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {%s: {type: string, default: x}}}}}
`
	word = "apiVersion: lab.example.com/v1\nkind: Word\nmetadata: {name: a}\nword: b\n"
)

const today = "2027-01-31"

// directory is a directory with files, and what their configurations were resolved to.
type directory struct {
	*testing.T
	root string
	*Resolver
	isSame bool // what an earlier resolver is told about everything that it has read
}

func open(t *testing.T, files map[string]string) directory {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := directory{T: t, root: root, Resolver: NewResolver(find.OnDisk(root), Options{Lint: rule.Options{Profile: "all"}})}
	for name, text := range files {
		w.write(name, text)
	}
	return w
}

func (w directory) at(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w directory) write(name, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.at(name)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.at(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// Check checks a text with the configuration of its directory.
func (w directory) Check(path, today string) (diag.Report, error) {
	base := find.OnDisk(w.root)
	finder, err := find.New(find.Options{Base: base})
	if err != nil {
		return diag.Report{}, err
	}
	c, err := finder.ConfigAt(filepath.Dir(path))
	if err != nil {
		return diag.Report{}, err
	}
	resolved, err := w.Resolve(c)
	if err != nil {
		return diag.Report{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return diag.Report{}, err
	}
	report, list := resolved.Engine(check.Options{}).Texts([]*source.Source{{Name: base.Name(path), Text: string(text)}})
	w.Suppress(&report, list, suppress.Settings{Today: today})
	return report, nil
}

// rules returns the rules of what is found in a text, or the error.
func (w directory) rules(name string) string {
	report, err := w.Check(w.at(name), today)
	if err != nil {
		return err.Error()
	}
	var rules []string
	for _, v := range report.Violations {
		rules = append(rules, string(v.Rule))
	}
	return strings.Join(rules, " ")
}

func (w directory) want(what, name, want string) {
	w.Helper()
	if have := w.rules(name); have != want {
		w.Errorf("%s: %s has %q, want %q", what, name, have, want)
	}
}

func TestASuppressionCountsUntilItsDay(t *testing.T) {
	w := open(t, map[string]string{".kindvet.yaml": "profile: all\n"})
	for until, want := range map[string]string{today: "", "2027-01-30": "suppression-expired ingress/open-inbound-cidr"} {
		w.write("a.yaml", strings.Replace(fmt.Sprintf(params, "internal"), "{scheme: internal}",
			"\n  scheme: internal\n  # kindvet:ignore[ingress/open-inbound-cidr until "+until+
				"] a test\n  inboundCIDRs: [0.0.0.0/0]", 1))
		w.want(until, "a.yaml", want)
	}
}
