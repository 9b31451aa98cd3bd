package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
)

// Sentences that name the newest version of Kubernetes, as the second group.
var ofNewestVersion = []*regexp.Regexp{
	regexp.MustCompile(`(\b1\.29 to\s)(1\.\d+)`),
	regexp.MustCompile(`(\bkube-apiserver )(1\.\d+)( would)`),
	regexp.MustCompile(`(\bresult of kube-apiserver )(1\.\d+)`),
	regexp.MustCompile(`(\b[Tt]he default is )(1\.\d+)`),
	regexp.MustCompile(`(\bKubernetes\s)(1\.\d+)( with .fieldValidation)`),
	regexp.MustCompile(`(\n)(1\.\d+)(, unless you select)`),
}

var countOfKinds = regexp.MustCompile(`\b\d+ kinds in 1\.29, \d+ in 1\.\d+`)

// The pages get the newest version from the constant of package catalog.
func TestPagesNameTheNewestVersionOfKubernetes(t *testing.T) {
	served := func(minor int) int { return len(catalog.KubernetesKinds(minor)) + 1 } // and the CRD
	count := fmt.Sprintf("%d kinds in 1.29, %d in 1.%d", served(29), served(catalog.NewestKubernetes), catalog.NewestKubernetes)
	to := fmt.Sprintf("${1}1.%d${3}", catalog.NewestKubernetes)
	pages, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[*regexp.Regexp]bool{}
	for _, page := range append(pages, filepath.Join(repository, "README.md")) {
		text := readFile(t, page)
		for _, sentence := range append(ofNewestVersion, countOfKinds) {
			seen[sentence] = seen[sentence] || sentence.MatchString(text)
		}
		for _, sentence := range ofNewestVersion {
			text = sentence.ReplaceAllString(text, to)
		}
		name, err := filepath.Rel(repository, page)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, countOfKinds.ReplaceAllString(text, count))
	}
	for sentence, isSeen := range seen {
		if !isSeen {
			t.Errorf("no page has %s", sentence)
		}
	}
}
