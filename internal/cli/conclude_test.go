package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A run without findings prints its summary. Its time is for people only: without it, logs are easier to compare.
func TestARunWithoutFindingsPrintsItsSummary(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	text := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web, namespace: shop}\n"
	if err := os.WriteFile(filepath.Join(dir, "web.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		isTerminal bool
		args, want string
	}{
		{false, "validate web.yaml", "no findings in 1 document: 1 valid, 0 invalid (1 file)\n"},
		{true, "validate web.yaml", "no findings in 1 document: 1 valid, 0 invalid (1 file"},
		{false, "validate -q web.yaml", ""},
		{true, "validate -q web.yaml", ""},
		{true, "validate --allow-empty empty", ""},
	} {
		var out, trouble bytes.Buffer
		code := Main(strings.Fields(c.args), Streams{
			In: strings.NewReader(""), Out: &out, Err: &trouble, ErrIsTerminal: c.isTerminal,
			Getenv: func(string) string { return "" }, Now: time.Now,
		})
		have := trouble.String()
		if code != exitOK || out.Len() > 0 || !strings.HasPrefix(have, c.want) || (c.want == "") != (have == "") {
			t.Errorf("%s, terminal %v: exit code %d, have %q and %q, want %q", c.args, c.isTerminal, code, out.String(), have, c.want)
		}
	}
}
