package export

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// A text in a policy stays one scalar on one line, so it cannot start a new document.
func TestTextsStayOneScalar(t *testing.T) {
	for _, text := range []string{
		"", "plain", "it's # 'one'", `a "b" \n`, "a\n---\nkind: B\n", "\x1b[31m\u009b\u202e\u2028\u0085\ufeff",
		"é 日本 😀", "a\rb\tc",
	} {
		quoted := quote(text)
		var have string
		if err := yaml.Unmarshal([]byte(quoted), &have); err != nil || have != text ||
			strings.ContainsAny(quoted, "\n\r\x1b\u0085\u2028\u202e") {
			t.Errorf("%q is written as %q and read as %q, %v", text, quoted, have, err)
		}
	}
}
