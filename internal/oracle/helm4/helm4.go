// Package helm4 renders charts with Helm 4. The cases in internal/chart/testdata/versions
// show what differs, with the output of both.
package helm4

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	v2 "helm.sh/helm/v4/pkg/chart/v2"
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
	values, err := valuesOf(dir)
	if err != nil {
		return nil, err
	}
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

// userFile is the file of a case with the values that a user sets.
const userFile = "user.yaml"

func valuesOf(dir string) (map[string]any, error) {
	text, err := os.ReadFile(filepath.Join(dir, userFile))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]any{}, nil
	}
	if err != nil {
		return nil, err
	}
	return loader.LoadValues(bytes.NewReader(text))
}

func engineRender(c *v2.Chart, values common.Values) (map[string]string, error) {
	return engine.Render(c, values)
}
