package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/config"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/export"
	"github.com/kindvet/kindvet/internal/lint/rule"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/workspace"
)

func exportCommand(s *Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "export",
		Short: "Write kinds and rules for clusters and editors",
		Example: `  kindvet export vap --profile security > policies.yaml
  kindvet export crd > crds.yaml
  kindvet export jsonschema --out schemas`,
	}
	addGroup(c, exportPoliciesCommand(s), exportDefinitionsCommand(s), exportSchemasCommand(s), exportValuesCommand(s))
	return c
}

func exportPoliciesCommand(s *Streams) *cobra.Command {
	f := &lintFlags{}
	var o workspace.Options
	verbose := false
	c := &cobra.Command{
		Use:   "vap",
		Short: "Write lint rules as ValidatingAdmissionPolicies",
		Long: `Write lint rules as ValidatingAdmissionPolicies with their bindings
(admissionregistration.k8s.io/v1), on standard output. A violation of severity error denies a
request, a warning warns and is audited, info is audited only.

The policies have the names that the configuration gives groups, kinds and fields. Rules that
cannot be written as policies are counted on standard error by reason.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			registry, err := registryOf(c, s, &o)
			if err != nil {
				return err
			}
			chosen, err := chosenRules(f)
			if err != nil {
				return err
			}
			policies, err := export.WritePolicies(s.Out, registry, chosen.Applied())
			printLeft(s.Err, policies.Left, "rule", verbose)
			if policies.BuiltIn > 0 {
				fmt.Fprintf(s.Err, "kindvet: %d of %d policies match nothing on a cluster without the API groups %s; "+
					"map them to yours with names: in %s\n", policies.BuiltIn, policies.Written, strings.Join(policies.Groups, ", "),
					config.Names[0])
			}
			return err
		},
	}
	f.register(c)
	registryFlags(c, &o)
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "list the rules that are not exported")
	return c
}

// chosenRules returns the rules that the flags select.
func chosenRules(f *lintFlags) (rule.List, error) {
	var o workspace.Options
	if err := f.apply(&o); err != nil {
		return nil, err
	}
	own, err := ownRules(o.Settings.RuleFiles)
	if err != nil {
		return nil, err
	}
	o.Settings.Lint.Own = own
	return rule.Select(o.Settings.Lint)
}

func exportDefinitionsCommand(s *Streams) *cobra.Command {
	var o workspace.Options
	verbose := false
	c := &cobra.Command{
		Use:   "crd",
		Short: "Write the CRDs of the built-in kinds, under the platform's names",
		Long: `Write the CRDs of the built-in kinds, under the names that the configuration gives them. Kinds of
Kubernetes are omitted.

They have the schemas of the specification, not those of your controllers. Do not apply them to a
cluster that has CRDs of the same names: 'kubectl apply' would replace their schemas, and the server
would prune the fields that only these have. On a cluster without such CRDs:
kindvet export crd | kubectl apply -f -`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			registry, err := registryOf(c, s, &o)
			if err != nil {
				return err
			}
			left, err := export.Definitions(s.Out, registry)
			printLeft(s.Err, left, "kind", verbose)
			if hasOwnNames(registry) {
				fmt.Fprintln(s.Err, "kindvet: these are schemas of the specification under your names; "+
					"'kubectl apply' would replace the CRDs of your controllers")
			}
			return err
		},
	}
	registryFlags(c, &o)
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "list the kinds that are not exported")
	return c
}

// hasOwnNames reports whether a registry has different names for built-in kinds.
func hasOwnNames(registry *catalog.Catalog) bool {
	return slices.ContainsFunc(catalog.Embedded().Entries(), func(e *catalog.Entry) bool {
		own, ok := registry.Own(e.Group, e.Name)
		return ok && own.Origin == catalog.BuiltIn && own.Group != e.Group
	})
}

func exportSchemasCommand(s *Streams) *cobra.Command {
	var dir string
	var o workspace.Options
	c := &cobra.Command{
		Use:   "jsonschema",
		Short: "Write a JSON Schema for each kind and version",
		Long: `Write a JSON Schema for each kind and version to DIRECTORY/GROUP/KIND_VERSION.json, those of the core group
to DIRECTORY/KIND_VERSION.json. For kinds of Kubernetes, --kubernetes-version selects the fields.

Editors use them for completion and descriptions. They allow some manifests that 'kindvet validate' rejects.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if dir == "" {
				return flagErrorf("out", "required: name the output directory")
			}
			registry, err := registryOf(c, s, &o)
			if err != nil {
				return err
			}
			return exportSchemas(s.Out, dir, registry)
		},
	}
	c.Flags().StringVar(&dir, "out", "", "output `DIRECTORY`")
	registryFlags(c, &o)
	return c
}

// exportSchemas writes the schemas below a directory, and their file names to out. The parts of the names come from
// CRDs, whose authors may be unknown: an [os.Root] keeps them in the directory.
func exportSchemas(out io.Writer, dir string, registry *catalog.Catalog) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, e := range registry.Entries() {
		for _, version := range e.Versions {
			name, err := exportSchema(root, e, version)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(out, render.Clean(filepath.ToSlash(filepath.Join(dir, name)))); err != nil {
				return err
			}
		}
	}
	return nil
}

func exportSchema(root *os.Root, e *catalog.Entry, version string) (name string, err error) {
	k, ok := e.Kind(version)
	if !ok {
		return "", fmt.Errorf("%s has no version %s", e.Name, version)
	}
	text, err := export.JSONSchema(k)
	if err != nil {
		return "", err
	}
	name = filepath.Join(e.Group, strings.ToLower(e.Name)+"_"+version+".json")
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	return name, root.WriteFile(name, text, 0o644)
}

// printLeft prints the number of items that were not exported for each reason, in order of first occurrence. If
// verbose, it prints each item.
func printLeft(w io.Writer, left []export.Left, noun string, verbose bool) {
	counts := map[string]int{}
	var reasons []string
	for _, l := range left {
		if counts[l.Why]++; counts[l.Why] == 1 {
			reasons = append(reasons, l.Why)
		}
	}
	for _, why := range reasons {
		fmt.Fprintf(w, "not exported: %s: %s\n", diag.Count(counts[why], noun), why)
		for _, l := range left {
			if verbose && l.Why == why {
				fmt.Fprintf(w, "  %s\n", l.Name)
			}
		}
	}
	if len(left) > 0 && !verbose {
		fmt.Fprintln(w, "list them with --verbose")
	}
}
