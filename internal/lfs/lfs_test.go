package lfs

import (
	"strings"
	"testing"
)

func TestAPointerIsNothingElse(t *testing.T) {
	const oid = "oid sha256:8e974fcb917eb289043b86d02b580c0cfceec5280d3a2cd277cec7da35500920\n"
	const extension = "ext-0-crypt sha256:8e974fcb917eb289043b86d02b580c0cfceec5280d3a2cd277cec7da35500920\n"
	for text, want := range map[string]bool{
		version + "\n" + oid + "size 218805\n":                            true,
		version + "\n" + oid + "size 218805":                              true,
		strings.ReplaceAll(version+"\n"+oid+"size 1\n", "\n", "\r\n"):     true,
		version + "\n" + extension + oid + "size 1\n":                     true,
		version + "\n" + strings.Repeat(extension, 9) + oid + "size 1\n":  true,
		version + "\n" + strings.Repeat(extension, 12) + oid + "size 1\n": false, // too long
		"":                                       false,
		version:                                  false,
		"\n" + version + "\n" + oid + "size 1\n": false,
		"# " + version + "\n" + oid + "size 1\n": false,
		version + "\n" + oid + "size many\n":     false,
		version + "\n" + oid[:20] + "\nsize 1\n": false,
		version + "\n" + oid + "size 1\n\n":      false,
		version + "\n" + oid + "size 1\n---\napiVersion: v1\nkind: ConfigMap\n": false,
		version + "\n" + oid + "size 1\nkind: ConfigMap\n":                      false,
	} {
		if have := IsPointer(text); have != want {
			t.Errorf("%q: have %t", text, have)
		}
	}
}
