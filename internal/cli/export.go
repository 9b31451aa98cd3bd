package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/export"
	"github.com/kindvet/kindvet/internal/lint"
	"github.com/kindvet/kindvet/internal/run"
)

func exportCommand(s *Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "export",
		Short: "Write kinds and rules for clusters and editors",
		Example: `  kindvet export crd | kubectl apply -f -
  kindvet export vap --profile security > policies.yaml
  kindvet export jsonschema --out schemas`,
	}
	addGroup(c, exportPoliciesCommand(s), exportDefinitionsCommand(s), exportSchemasCommand(s))
	return c
}

func exportPoliciesCommand(s *Streams) *cobra.Command {
	f := &lintFlags{}
	c := &cobra.Command{
		Use:   "vap",
		Short: "Write lint rules as ValidatingAdmissionPolicies",
		Long: `Write lint rules as ValidatingAdmissionPolicies with their bindings (admissionregistration.k8s.io/v1), on standard output. A violation
of severity error denies a request, a warning warns and is audited, information is audited only.

What cannot be said as a policy is named on standard error, with the reason.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var o run.Options
			if err := f.apply(&o); err != nil {
				return err
			}
			own, err := ownRules(o.RuleFiles)
			if err != nil {
				return err
			}
			o.Lint.Own = own
			set, err := lint.New(o.Lint)
			if err != nil {
				return err
			}
			left, err := export.Policies(s.Out, catalog.Embedded(), set.Rules())
			sayLeft(s.Err, left)
			return err
		},
	}
	f.register(c)
	return c
}

func exportDefinitionsCommand(s *Streams) *cobra.Command {
	var o run.Options
	c := &cobra.Command{
		Use:   "crd",
		Short: "Write the CRDs of the built-in kinds, under the platform's names",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			registry, err := registryOf(c, s, o)
			if err != nil {
				return err
			}
			left, err := export.Definitions(s.Out, registry)
			sayLeft(s.Err, left)
			return err
		},
	}
	registryFlags(c, &o)
	return c
}

func exportSchemasCommand(s *Streams) *cobra.Command {
	var folder string
	var o run.Options
	c := &cobra.Command{
		Use:   "jsonschema",
		Short: "Write a JSON Schema for each kind and version",
		Long:  "Write a JSON Schema for each kind and version, as FOLDER/GROUP/KIND_VERSION.json.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if folder == "" {
				return flagErrorf("out", "name the folder to write to")
			}
			registry, err := registryOf(c, s, o)
			if err != nil {
				return err
			}
			for _, e := range registry.Entries() {
				for _, version := range e.Versions {
					if err := exportSchema(s.Out, folder, e, version); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&folder, "out", "", "`FOLDER` to write to")
	registryFlags(c, &o)
	return c
}

func exportSchema(out io.Writer, folder string, e *catalog.Entry, version string) error {
	k, ok := e.Kind(version)
	if !ok {
		return fmt.Errorf("%s has no version %s", e.Name, version)
	}
	text, err := export.JSONSchema(k)
	if err != nil {
		return err
	}
	name := filepath.Join(folder, e.Group, strings.ToLower(e.Name)+"_"+version+".json")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, name)
	return err
}

func sayLeft(w io.Writer, left []export.Left) {
	for _, l := range left {
		fmt.Fprintf(w, "not exported: %s: %s\n", l.Name, l.Why)
	}
}
