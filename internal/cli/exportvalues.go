package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/chart"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/helmvalues"
	"github.com/kindvet/kindvet/internal/render"
	"github.com/kindvet/kindvet/internal/workspace"
)

// valuesSchemaFile is the file of a chart with the schema of its values.
const valuesSchemaFile = "values.schema.json"

func exportValuesCommand(s *Streams) *cobra.Command {
	var o workspace.Options
	var isCheck, isWritten bool
	c := &cobra.Command{
		Use:   "values-schema CHART",
		Short: "Write a JSON Schema for the values of a Helm chart",
		Long: `Write a JSON Schema (2020-12) for the values of a chart, made of what its templates do with each value and of the
fields that it becomes. What values.schema.json of the chart says stays as it is.

The schema allows the values of values.yaml and of ci/*-values.yaml. With --write, it is written to
CHART/` + valuesSchemaFile + `. With --check, the exit code is 1 if that file is out of date.`,
		Example: `  kindvet export values-schema charts/shop --write
  kindvet export values-schema charts/shop --check`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if isCheck && isWritten {
				return errors.New("use either --check or --write")
			}
			analysis, f, err := analyzeChart(c, s, &o, args[0])
			if err != nil {
				return err
			}
			schema, err := analysis.Schema()
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			switch {
			case isCheck:
				return checkValuesSchema(s.Out, f, schema)
			case isWritten:
				return writeValuesSchema(f, schema)
			}
			_, err = s.Out.Write(schema)
			return err
		},
	}
	c.Flags().BoolVar(&isCheck, "check", false, "compare the schema with that of the chart, and exit with 1 if they differ")
	c.Flags().BoolVar(&isWritten, "write", false, "write the schema to "+valuesSchemaFile+" of the chart")
	registryFlags(c, &o)
	return c
}

// analyzeChart returns what the templates of a chart do with its values.
func analyzeChart(c *cobra.Command, s *Streams, o *workspace.Options, path string) (*helmvalues.Analysis, *find.File, error) {
	registry, err := registryOf(c, s, o)
	if err != nil {
		return nil, nil, err
	}
	f, loaded, sets, err := loadChart(c.Context(), o, path)
	if err != nil {
		return nil, nil, err
	}
	analysis, err := helmvalues.Analyze(loaded, optionsOf(o, f, registry), sets, registry)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: cannot be loaded; see 'kindvet validate': %w", path, err)
	}
	for _, note := range analysis.Notes() {
		fmt.Fprintln(s.Err, render.Clean("kindvet: "+path+": "+note))
	}
	return analysis, f, nil
}

// optionsOf returns the options with which the chart is rendered for the server of a catalog.
func optionsOf(o *workspace.Options, f *find.File, registry *catalog.Catalog) chart.Options {
	options := o.Chart
	options.Kubernetes, options.Allowance = registry.Kubernetes(), &chart.Allowance{}
	if options.Helm == 0 && f.Config != nil {
		options.Helm = f.Config.Helm
	}
	return options
}

// loadChart loads a chart with the sets of values of its tests.
func loadChart(ctx context.Context, o *workspace.Options, path string) (*find.File, *chart.Loaded, []chart.Set, error) {
	search := turnedOff(*o).Files
	search.Paths, search.Charts = []string{path}, true
	finder, err := find.New(search)
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := finder.Find(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range found.Files {
		f := &found.Files[i]
		if f.Kind != find.Chart || f.Abs != search.Base.Abs(path) {
			continue
		}
		files, err := f.ReadChart(found.Tree)
		if err != nil {
			return nil, nil, nil, err
		}
		tests, err := f.ReadTestValues(found.Tree, files)
		if err != nil {
			return nil, nil, nil, err
		}
		return f, f.LoadChart(found.Tree, files, nil), chart.TestSets(f.Name, tests), nil
	}
	return nil, nil, nil, fmt.Errorf("%s: not a Helm chart", path)
}

// checkValuesSchema compares a schema with that of a chart.
func checkValuesSchema(out io.Writer, f *find.File, schema []byte) error {
	have, err := os.ReadFile(filepath.Join(f.Abs, valuesSchemaFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	list, err := helmvalues.Differences(have, schema)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(filepath.Join(f.Name, valuesSchemaFile))
	for _, d := range list {
		if _, err := fmt.Fprintln(out, render.Clean(name+": "+d.Path+": "+d.Message)); err != nil {
			return err
		}
	}
	if len(list) > 0 {
		return failed{exitViolations}
	}
	return nil
}

// writeValuesSchema writes the schema of a chart.
func writeValuesSchema(f *find.File, schema []byte) error {
	if strings.HasSuffix(f.Abs, ".tgz") {
		return errors.New(f.Name + ": is an archive")
	}
	root, err := os.OpenRoot(f.Abs)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.WriteFile(valuesSchemaFile, schema, 0o644)
}
