package cli

import (
	"bytes"
	"strings"
	"testing"
)

// Standard input that is kept in memory has a limit. Input of that size is passed on, and larger input is rejected.
func TestStandardInputThatIsKeptHasALimit(t *testing.T) {
	const stream = "kind: Thing\napiVersion: example.com/v1\n"
	const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
	const passed, listed = "bytes, the limit of --passthrough; write it to a file",
		"bytes, the limit of a ResourceList; split it"
	for _, test := range []struct {
		text string
		args []string
		more int // bytes more than the limit
		want string
	}{
		{stream, []string{"validate", "--passthrough", "--allow-empty", "-"}, 0, ""},
		{stream, []string{"validate", "--passthrough", "--allow-empty", "-"}, 1, passed},
		{list, []string{"validate", "-"}, 0, ""},
		{list, []string{"validate", "-"}, 1, listed},
		{stream, []string{"validate", "--allow-empty", "-"}, 1, ""}, // is not kept
	} {
		var out, trouble bytes.Buffer
		s := Streams{
			In: strings.NewReader(test.text), Out: &out, Err: &trouble, MaxInput: int64(len(test.text) - test.more),
			Getenv: func(string) string { return "" }, Now: System().Now,
		}
		code := Main(test.args, s)
		switch {
		case test.want == "" && code != 0:
			t.Errorf("%q: exit code %d, error %q", test.args, code, &trouble)
		case test.want == "" && test.args[1] == "--passthrough" && out.String() != test.text:
			t.Errorf("%q: passed on %q, want %q", test.args, &out, test.text)
		case test.want != "" && (code != 2 || out.Len() > 0 || !strings.Contains(trouble.String(), test.want)):
			t.Errorf("%q: exit code %d, output %q, error %q, want %q", test.args, code, &out, &trouble, test.want)
		}
	}
}
