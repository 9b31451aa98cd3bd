package chart

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// checkValues validates the values of a chart and its subcharts against values.schema.json (Helm's
// pkg/chartutil/jsonschema.go). A schema that refers to another file is skipped, because no file is read.
func (c *Chart) checkValues(values map[string]any) error {
	if c.schema != "" {
		if err := c.checkSchema(values); err != nil {
			return err
		}
	}
	for _, sub := range c.subcharts {
		own, _ := values[sub.name()].(map[string]any)
		if err := sub.checkValues(own); err != nil {
			return err
		}
	}
	return nil
}

// errNoLoad is the error for a schema in another file.
var errNoLoad = errors.New("no file is read")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoLoad }

const schemaURL = "file:///values.schema.json"

func (c *Chart) checkSchema(values map[string]any) error {
	at := place(c.valuesSrc, c.src)
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(c.schema))
	if err != nil {
		return fault{rule: diag.InvalidChart, message: "values.schema.json: " + err.Error(), at: at}
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaURL, parsed); err != nil {
		return fault{rule: diag.InvalidChart, message: "values.schema.json: " + err.Error(), at: at}
	}
	schema, err := compiler.Compile(schemaURL)
	if errors.Is(err, errNoLoad) {
		return nil
	}
	if err != nil {
		return fault{rule: diag.InvalidChart, message: "values.schema.json: " + err.Error(), at: at}
	}
	var invalid *jsonschema.ValidationError
	if err := schema.Validate(values); errors.As(err, &invalid) {
		for len(invalid.Causes) > 0 {
			invalid = invalid.Causes[0]
		}
		lines := strings.Split(invalid.Error(), "\n")
		message := strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- ")
		return fault{
			rule: diag.InvalidChart, message: fmt.Sprintf("the values violate values.schema.json: %s", message),
			at: c.valuesPlace(invalid.InstanceLocation),
		}
	}
	return nil
}

// valuesPlace returns the line of the first step of a path in values.yaml.
func (c *Chart) valuesPlace(path []string) source.Place {
	if c.valuesSrc == nil || len(path) == 0 {
		return place(c.valuesSrc, c.src)
	}
	return c.valuesSrc.Place(lineOf(c.valuesSrc, path[0]+":"))
}
