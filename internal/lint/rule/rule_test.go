package rule

import (
	"testing"

	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/test/manifesttest"
)

const ownRule = "id: own/rule\ntitle: t\nseverity: warning\nkinds: ['*']\nwhy: w\n"

func readRoot(t *testing.T, text string) manifest.Node {
	t.Helper()
	return manifesttest.Root(t, text)
}
