package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/workspace"
)

// chartFlags are the flags of 'helm template' that select the values of charts.
type chartFlags struct {
	files, set, setString []string
	// manifest is the first of the files that is a manifest; "" if none is.
	manifest string
}

func (f *chartFlags) register(c *cobra.Command, o *workspace.Options) {
	flags := c.Flags()
	flags.StringArrayVarP(&f.files, "values", "f", nil, "`FILE` of values for charts (repeatable; the last one wins)")
	flags.StringVar(&o.StdinChart, "chart", "",
		"`CHART` that rendered standard input, to place findings in its templates")
	flags.StringArrayVar(&f.set, "set", nil, "`KEY=VALUE` for charts, such as image.tag=1.2 (repeatable)")
	flags.StringArrayVar(&f.setString, "set-string", nil, "like --set, but `KEY=VALUE` is a string (repeatable)")
	flags.StringVar(&o.Chart.Release, "release-name", "",
		"`NAME` of the release that a chart is rendered for (default: the name of the chart)")
	flags.StringVar(&o.Chart.Namespace, "namespace", "", "`NAMESPACE` that charts are rendered for (default: default)")
	flags.Var(kubeVersion{&o.Chart}, "kube-version",
		"`VERSION` of Kubernetes that charts see (default: --kubernetes-version)")
	flags.Var(helmVersion{&o.Chart}, "helm-version",
		"major `VERSION` of Helm whose output is that of charts: 3 or 4 (default: 3, and 4 for charts that only it can read)")
	flags.Bool("include-crds", false, "no effect, for compatibility with Helm: the CRDs of charts are always checked")
	flags.StringSliceVar(&o.Chart.APIVersions, "api-versions", nil,
		"further `APIVERSION` that charts see in .Capabilities (repeatable)")
}

// kubeVersion is the value of the flag --kube-version.
type kubeVersion struct{ options *chart.Options }

func (v kubeVersion) String() string { return "" }

func (v kubeVersion) Type() string { return "version of Kubernetes" }

func (v kubeVersion) Set(text string) error {
	if !v.options.SetKubeVersion(text) {
		return errors.New("unknown version")
	}
	return nil
}

// helmVersion is the value of the flag --helm-version.
type helmVersion struct{ options *chart.Options }

func (v helmVersion) String() string { return "" }

func (v helmVersion) Type() string { return "major version of Helm: 3 or 4" }

func (v helmVersion) Set(text string) error {
	major, _, _ := strings.Cut(strings.TrimPrefix(text, "v"), ".")
	switch major {
	case "3":
		v.options.Helm = chart.Helm3
	case "4":
		v.options.Helm = chart.Helm4
	default:
		return errors.New("use 3 or 4")
	}
	return nil
}

// apply reads the values.
func (f *chartFlags) apply(o *workspace.Options) error {
	o.Files.Values = f.files
	for _, name := range f.files {
		src, err := o.Files.Base.Read(name, disk.Chart)
		if err != nil {
			return fmt.Errorf("--values: %w", err)
		}
		if err := o.Chart.Values.AddFile(src); err != nil {
			return fmt.Errorf("--values: %w", err)
		}
		if f.manifest == "" && isManifest(src.Text) {
			f.manifest = name
		}
	}
	for _, list := range []struct {
		flag     string
		texts    []string
		isString bool
	}{{"--set", f.set, false}, {"--set-string", f.setString, true}} {
		for _, text := range list.texts {
			if err := o.Chart.Values.Set(list.flag, text, list.isString); err != nil {
				return fmt.Errorf("%s: %w", list.flag, err)
			}
		}
	}
	return nil
}

// isManifest reports whether a file of values has the fields that every manifest has.
func isManifest(text string) bool {
	values, _ := chart.ReadValues(text)
	_, hasVersion := values["apiVersion"].(string)
	_, hasKind := values["kind"].(string)
	_, hasMetadata := values["metadata"].(map[string]any)
	return hasVersion && hasKind && hasMetadata
}

// pipedNote describes which findings in standard input do not have the places of the chart that --chart names.
func pipedNote(p *workspace.Piped) string {
	switch {
	case len(p.Violations) > 0:
		v := &p.Violations[0]
		at := v.Place.Start()
		return fmt.Sprintf("findings have their lines in standard input: %s:%d:%d: %s", v.Place.File, at.Line,
			at.Column, v.Message)
	case p.Others > 0:
		is := "are"
		if p.Others == 1 {
			is = "is"
		}
		return fmt.Sprintf("%d of %s %s not as %s renders them with these flags; findings there have their lines in standard input",
			p.Others, count(p.Same+p.Others, "document", "documents"), is, p.Chart)
	}
	return ""
}
