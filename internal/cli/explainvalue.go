package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/helmvalues"
	"github.com/kindvet/kindvet/internal/workspace"
)

// explainValue describes a value of a Helm chart.
func explainValue(c *cobra.Command, s *Streams, o *workspace.Options, path, value, output string) error {
	analysis, _, err := analyzeChart(c, s, o, path)
	if err != nil {
		return err
	}
	d, err := analysis.Describe(value)
	if err != nil {
		return err
	}
	switch output {
	case "json":
		e := json.NewEncoder(s.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(d)
	case "text":
		return printClean(s.Out, func(w io.Writer) error { return writeValue(w, &d) })
	}
	return invalidValue("output", output, "use text or json")
}

// longestDefault is the maximum length of a default value in a line.
const longestDefault = 100

func writeValue(w io.Writer, d *helmvalues.Description) error {
	fmt.Fprintf(w, "value     %s\n", d.Path)
	if len(d.Types) > 0 {
		var types []string
		for _, t := range d.Types {
			types = append(types, fmt.Sprint(t))
		}
		fmt.Fprintf(w, "type      %s\n", strings.Join(types, ", "))
	}
	if d.HasDefault {
		text := d.DefaultText()
		if len(text) > longestDefault {
			text = "see there"
		}
		fmt.Fprintf(w, "default   %s (%s)\n", text, d.SetAt)
	}
	if d.ReadAs != "" {
		fmt.Fprintf(w, "read as   a part of %s\n", d.ReadAs)
	}
	if d.Text != "" {
		section(w, "Description", wrapParagraphs(d.Text, pageWidth-2))
	}
	var readers, fields []string
	for _, r := range d.Readers {
		readers = append(readers, fmt.Sprintf("%s:%d:%d: %s", r.File, r.Line, r.Column, r.Action))
	}
	if len(readers) == 0 {
		readers = []string{"no template"}
	}
	section(w, "Read by", strings.Join(readers, "\n"))
	for _, t := range d.Becomes {
		text := fmt.Sprintf("%s %s: %s", t.Kind, t.Name, t.Field)
		if t.IsPart {
			text += " (a part of it)"
		}
		if fields = append(fields, text); t.Text != "" {
			fields = append(fields, "  "+t.Text)
		}
	}
	optionalSection(w, "Becomes", fields)
	return nil
}
