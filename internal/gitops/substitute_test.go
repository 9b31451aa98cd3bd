package gitops

import (
	"strings"
	"testing"
)

// A variable that is known is not named, even before a function of another one. A long text is read once.
func TestTheFirstUnknownVariableIsNamed(t *testing.T) {
	s := one(t, `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: a}
spec: {path: a, sourceRef: {kind: GitRepository, name: a}, postBuild: {substitute: {A: größe, B: "${C}"}}}
`)
	const many = 20_000
	for text, want := range map[string]string{
		"": "", "${A}": "", "$${D}": "", "ü ${A}${D}": "${D}", "${A} ${B}": "${B}", "${A/a/b}": "${A}", "${#A}": "${A}",
		"${A} ${D/a/b}": "${D}", "${A/a/b} ${D}": "${A}", "${A} $${A/a/b} ${A}": "", "${}": "",
		strings.Repeat("${A}", many): "", strings.Repeat("${A}", many) + "${A^^}": "${A}",
	} {
		if have, ok := s.UnknownIn(text); have != want || ok != (want != "") {
			t.Errorf("%.40s: have %q", text, have)
		}
	}
}
