package chart

import (
	"reflect"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Versions of Helm whose output kindvet knows. It is that of 3.19 and 4.3, which is the same for nearly all charts.
const (
	Helm3 = 3
	Helm4 = 4
)

// helm returns the version of Helm that renders a chart. If none is selected, it is the one that can: only Helm 4 has
// charts of version v3. Others are rendered as by Helm 3, whose output Helm 4 keeps except where a test shows it.
func (o *Options) helm(of *Metadata) int {
	switch {
	case o.Helm != 0:
		return o.Helm
	case of.APIVersion == "v3":
		return Helm4
	}
	return Helm3
}

// setHelm sets the version of Helm that reads the values of a chart and its subcharts, and returns what it rejects.
func (c *Chart) setHelm(version int) error {
	if name := c.name(); version == Helm4 && (name == "." || name == "..") {
		return fault{message: "name: must not be " + diag.Quote(name), at: c.placeOf(c.src, "name")}
	}
	if is4 := version == Helm4; c.isHelm4 != is4 {
		c.isHelm4 = is4
		if c.valuesSrc != nil && strings.Contains(c.valuesSrc.Text, documentStart) {
			values, err := readDocuments(c.valuesSrc, version)
			if err != nil {
				return err
			}
			c.values = values
		}
	}
	for _, sub := range c.subcharts {
		if err := sub.setHelm(version); err != nil {
			return err
		}
	}
	return nil
}

// inHelm makes the version of Helm that the options select read the values of the chart, and those of the options.
func (c *Chart) inHelm(o Options) (Options, error) {
	version := o.helm(c.metadata)
	err := c.setHelm(version)
	if err == nil && version == Helm4 {
		o.Values, err = o.Values.withDocuments()
	}
	return o, err
}

// IsServerSide reports whether an upgrade of the chart applies its objects on the server, as Helm 4 does.
func (o *Output) IsServerSide() bool { return o.suppliers != nil && o.suppliers.selected.isHelm4 }

// documentStart is in each text with several documents of YAML.
const documentStart = "---"

// readDocuments returns the values in a file: in Helm 4 of all its documents, in Helm 3 of the first one (Helm 4's
// pkg/chart/v2/loader/load.go, LoadValues).
func readDocuments(src *source.Source, version int) (map[string]any, error) {
	merged := map[string]any{}
	if version == Helm3 {
		err := unmarshal(src, &merged)
		return merged, err
	}
	for part := range manifest.Parts(src) {
		values := map[string]any{}
		if err := manifest.Unmarshal(src.Text[part.Span.Start:part.Span.End], &values); err != nil {
			return nil, fault{message: "invalid YAML: " + cause(err), at: src.Place(source.Span{Start: part.Span.Start, End: part.Span.Start})}
		}
		merged = Override(merged, values)
	}
	return merged, nil
}

// withDocuments returns values with those of all documents of their files, as Helm 4 reads them.
func (v Values) withDocuments() (Values, error) {
	all := Values{}
	for _, l := range v.layers {
		if l.src != nil && len(l.roots) == 0 && strings.Contains(l.src.Text, documentStart) {
			values, err := readDocuments(l.src, Helm4)
			if err != nil {
				return v, err
			}
			l.values = values
		}
		all.layers = append(all.layers, l)
	}
	return all, nil
}

// addDefaults4 adds the values of the chart itself as Helm 4 does: a null among them is not a value
// (pkg/chart/common/util/coalesce.go, coalesceValues).
func (c *Chart) addDefaults4(into map[string]any, keepNull bool) {
	for key, value := range c.values {
		value = deepCopy(value)
		own, has := into[key]
		table, isTable := own.(map[string]any)
		defaults, isDefaultTable := value.(map[string]any)
		switch {
		case !has && keepNull:
			into[key] = value
		case !has && value != nil:
			removeNull(value)
			into[key] = value
		case !has:
		case own == nil && !keepNull:
			delete(into, key)
		case isTable && isDefaultTable:
			keep := keepNull || c.hasSubchart(key)
			if !keep {
				removeNull(value)
			}
			mergeTables4(table, defaults, keep)
		}
	}
}

// removeNull removes the fields of a map, and of maps in it, that are null.
func removeNull(value any) {
	table, _ := value.(map[string]any)
	for key, below := range table {
		if below == nil {
			delete(table, key)
		} else {
			removeNull(below)
		}
	}
}

// mergeTables4 is mergeTables as in Helm 4: a null of into only removes a value that is not null.
func mergeTables4(into, from map[string]any, keepNull bool) {
	for key, value := range from {
		own, has := into[key]
		table, isTable := value.(map[string]any)
		ownTable, isOwnTable := own.(map[string]any)
		switch {
		case has && own == nil && !keepNull && value != nil:
			delete(into, key)
		case !has:
			into[key] = value
		case isTable && isOwnTable:
			mergeTables4(ownTable, table, keepNull)
		}
	}
}

// asMap returns the metadata of a chart as templates see them in Helm 4: all fields, with their names in Go
// (pkg/chart/common.go, structToMap).
func asMap(of reflect.Value) map[string]any {
	fields := map[string]any{}
	for i := range of.NumField() {
		name, value := of.Type().Field(i).Name, of.Field(i)
		if value.Kind() != reflect.Slice {
			fields[name] = value.Interface()
			continue
		}
		list := make([]any, value.Len())
		for j := range list {
			item := value.Index(j)
			if list[j] = item.Interface(); item.Kind() == reflect.Pointer {
				list[j] = asMap(item.Elem())
			}
		}
		fields[name] = list
	}
	return fields
}

// metadataOf returns what templates see as .Chart.
func (c *Chart) metadataOf() any {
	if c.isHelm4 {
		fields := asMap(reflect.ValueOf(c.metadata).Elem())
		fields["IsRoot"] = c.parent == nil
		return fields
	}
	return struct {
		Metadata
		IsRoot bool
	}{*c.metadata, c.parent == nil}
}
