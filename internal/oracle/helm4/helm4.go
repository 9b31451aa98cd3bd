// Package helm4 renders charts with Helm 4. kindvet renders them as Helm 3.19 does; the cases in internal/chart/testdata/versions
// show what differs, with the output of both.
package helm4

import (
	"fmt"
	"io"
	"log"
	"log/slog"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
)

// Quiet stops the warnings of Helm.
func Quiet() {
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

// Render returns what 'helm template' of Helm 4 writes for a chart in a directory, by template, in Kubernetes 1.minor.
func Render(dir string, minor int) (map[string]string, error) {
	c, err := loader.Load(dir)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	if err := chartutil.ProcessDependencies(c, values); err != nil {
		return nil, err
	}
	version, err := common.ParseKubeVersion(fmt.Sprintf("v1.%d.0", minor))
	if err != nil {
		return nil, err
	}
	cluster := common.DefaultCapabilities.Copy()
	cluster.KubeVersion = *version
	release := common.ReleaseOptions{Name: "release-name", Namespace: "default", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(c, values, release, cluster)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}
