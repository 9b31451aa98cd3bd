package rule

import (
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

func TestServerSideNeedsASeverityAndAMessage(t *testing.T) {
	const head = "id: a/b\ntitle: t\nseverity: info\nkinds: [ConfigMap]\nwhy: w\neach: data\nserverSide: "
	for text, want := range map[string]ServerSide{
		"{severity: error, message: m}":          {diag.Error, "m"},
		"{severity: error}":                      {},
		"{message: m}":                           {},
		"{severity: fatal, message: m}":          {},
		"m":                                      {},
		"{severity: error, message: m, help: h}": {},
	} {
		r, violations := Parse(&source.Source{Name: "rule.yaml", Text: head + text + "\ncheck: 'true'\n"})
		if r == nil {
			r = &Rule{}
		}
		if r.ServerSide != want || (len(violations) == 0) != (want != ServerSide{}) {
			t.Errorf("%s: have %v %v, want %v", text, r.ServerSide, violations, want)
		}
	}
}
