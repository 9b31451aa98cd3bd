package main

import (
	"strings"
	"testing"
)

// slow are packages that take long to initialize, at every start. They come with imports that look harmless, such as
// k8s.io/apiserver/pkg/cel/library.
var slow = []string{
	"k8s.io/component-base/", "github.com/prometheus/", "go.opentelemetry.io/", "k8s.io/api/", "k8s.io/client-go/",
	"k8s.io/apimachinery/pkg/apis/", "k8s.io/apiserver/pkg/features/", "k8s.io/kube-openapi/pkg/validation/strfmt/",
}

func TestTheProgramDoesNotLinkWhatIsSlowToStart(t *testing.T) {
	for _, p := range linkedPackages(t) {
		for _, path := range slow {
			if strings.HasPrefix(p.ImportPath+"/", path) {
				t.Errorf("%s is linked: find out which import needs it with 'go list -deps'", p.ImportPath)
			}
		}
	}
}
