package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kindvetIn runs the program in a directory, and returns its exit code and what it printed.
func kindvetIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(dir)
	var out, trouble bytes.Buffer
	code = Main(args, Streams{
		In: strings.NewReader(""), Out: &out, Err: &trouble, Getenv: func(string) string { return "" }, Now: time.Now,
	})
	return code, out.String(), trouble.String()
}

func TestARepositoryWith500FindingsAdoptsKindvetWithOneCommand(t *testing.T) {
	dir := t.TempDir()
	manifest := func(i int, fields string) string {
		return fmt.Sprintf("apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: app-%d}\nspec:\n%s", i, fields)
	}
	const faults = "  scheme: public\n  schme: internal\n  tags: 5\n  group: {}\n  ipAddressType: ipv5\n"
	file := func(i int) string { return filepath.Join(dir, "deploy", fmt.Sprintf("app-%d.yaml", i)) }
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		write(file(i), manifest(i, faults))
	}
	if code, _, stderr := kindvetIn(t, dir, "validate", "deploy"); code != exitViolations ||
		!strings.HasPrefix(stderr, "500 errors ") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := kindvetIn(t, dir, "baseline", "create", "known.json", "deploy"); code != exitOK ||
		stderr != "known.json: 500 entries for 500 findings\n" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, jobs := range []string{"1", "8"} {
		if code, stdout, stderr := kindvetIn(t, dir, "validate", "--baseline", "known.json", "-j", jobs,
			"deploy"); code != exitOK || stdout != "" {
			t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
		}
	}
	write(file(7), "# moved\n\n"+manifest(7, faults+"  inboundCIDRs: 5\n"))
	code, stdout, _ := kindvetIn(t, dir, "validate", "--baseline", "known.json", "--one-line", "deploy")
	if code != exitViolations || strings.Count(stdout, "\n") != 1 || !strings.HasPrefix(stdout, "deploy/app-7.yaml:12:") {
		t.Errorf("a new fault: exit code %d:\n%s", code, stdout)
	}
	write(file(7), manifest(7, strings.Replace(faults, "  tags: 5\n", "", 1)))
	if code, _, stderr := kindvetIn(t, dir, "baseline", "prune", "known.json", "deploy"); code != exitOK ||
		stderr != "known.json: 1 entry removed, 499 left for 499 findings\n" {
		t.Errorf("one is fixed: exit code %d: %s", code, stderr)
	}
}
