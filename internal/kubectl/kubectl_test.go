//go:build unix

package kubectl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheAnswerOfKubectlIsReturned(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`echo "$*"`, "get customresourcedefinitions.apiextensions.k8s.io -o json --request-timeout=60s\n <nil>"},
		{"echo The connection was refused >&2\necho more >&2\nexit 1", " kubectl: The connection was refused"},
		{"exit 3", " kubectl: exit status 3"},
		{"head -c 100 /dev/zero | tr '\\0' a", strings.Repeat("a", 100) + " <nil>"},
		{"head -c 101 /dev/zero", " kubectl printed more than 0 MiB"},
		{"cat /dev/zero", " kubectl printed more than 0 MiB"},
	} {
		bin := t.TempDir()
		if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":/usr/bin:/bin")
		text, err := CRDs(t.Context(), t.TempDir(), 100)
		if have := fmt.Sprint(text, " ", err); have != c.want {
			t.Errorf("%s: %q, want %q", c.script, have, c.want)
		}
	}
}
