package kustomize

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestAPrefixThatIsANameOfAnotherObject(t *testing.T) {
	src := build(t, map[string]string{
		"top/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: b-\nbuildMetadata: [originAnnotations]\n",
		"top/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {x: of-b}\n---\n" +
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: of-a}\n",
	})
	for text, line := range map[string]int{"of-b": 4, "of-a": 9} {
		at := strings.Index(src.Text, text)
		p := src.Place(source.Span{Start: at, End: at + len(text)})
		p.Detach()
		if p.File != "top/a.yaml" || p.Start().Line != line {
			t.Errorf("%s: have %s, want line %d", text, p, line)
		}
	}
}
