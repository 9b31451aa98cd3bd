package manifest

import (
	"strings"
	"testing"

	kubectl "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kindvet/kindvet/internal/source"
)

// lastLines are texts of field s at the end of a file, and the value that "kubectl apply -f" sends. kubectl reads a
// file line by line and adds a missing line break at the end (k8s.io/apimachinery, util/yaml.LineReader), so the
// server receives a line break that is not in the file.
var lastLines = []struct{ text, sent string }{
	{"|\n  x\n   y", "x\n y\n"},
	{"|\n  x\n   y\n", "x\n y\n"},
	{"|\n  x\n  yz", "x\nyz\n"},
	{"|\n  xyz", "xyz\n"},
	{"|\n  wxyz", "wxyz\n"},
	{"|\n  wxyz\n", "wxyz\n"},
	{">\n  wxyz", "wxyz\n"},
	{">\n  x\n   y", "x\n y\n"},
	{"|+\n  wxyz", "wxyz\n"},
	{"|+\n  x\n   y", "x\n y\n"},
	{"|+\n  x\n\n", "x\n\n"},
	{"|-\n  x", "x"},
	{"|\n  xyz\n   ", "xyz\n \n"},
	{"|\n  xyz\n  ", "xyz\n"},
	{"|\n   wxy", "wxy\n"},
	{"|2\n   xy", " xy\n"},
	{"|\r\n  x\r\n  y", "x\ny\n"},
	{"|\r\n  x\r\n  y\r", "x\ny\n"},
	{"|", ""},
	{"x", "x"},
	{"'x'", "x"},
}

func TestTheLastLineIsReadAsKubectlSendsIt(t *testing.T) {
	for _, c := range lastLines {
		text := "s: " + c.text
		var sent map[string]string
		if err := kubectl.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096).Decode(&sent); err != nil ||
			sent["s"] != c.sent {
			t.Fatalf("%q: kubectl sends %q (%v)", text, sent["s"], err)
		}
		for reader, read := range map[string]func(string) string{"Read": lastText, "the libraries": lastTextByLibrary} {
			if have := read(text); have != c.sent {
				t.Errorf("%q: %s read %q, kubectl sends %q", text, reader, have, c.sent)
			}
		}
	}
}

func lastText(text string) string {
	src, tree := &source.Source{Name: "test.yaml", Text: text}, &Tree{}
	for part := range Parts(src) {
		tree.Read(src, part)
	}
	return tree.Root().TextAt("s")
}

func lastTextByLibrary(text string) string {
	tree, _ := byLibrary(text)
	return tree.Root().TextAt("s")
}
