package chart

import (
	"fmt"
	"slices"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Values are what a user sets for a chart: files, and settings of flags. A later one wins. The zero value sets
// nothing.
type Values struct{ layers []layer }

// layer is a file of values, or a setting.
type layer struct {
	src     *source.Source // nil for a setting
	values  map[string]any
	setting setting
	// roots are the maps with the values, if they are a part of an object. Values that a program merged have several, the
	// strongest first.
	roots []manifest.Node
}

// setting is a value that a flag sets.
type setting struct {
	flag, key string // as written, such as --set and a.b[0]
	steps     []any  // names of fields and indexes of items
	value     any
	at        source.Place // where an object sets it; zero for a flag
}

// AddFile adds a file of values.
func (v *Values) AddFile(src *source.Source) error {
	if err := v.addFile(src); err != nil {
		return fmt.Errorf("%s: %w", src.Name, err)
	}
	return nil
}

// CheckFile is like AddFile. If it returns false, the violation is why.
func (v *Values) CheckFile(src *source.Source) (diag.Violation, bool) {
	if err := v.addFile(src); err != nil {
		return violationsOf(err)[0], false
	}
	return diag.Violation{}, true
}

// ReadValues returns the values in a text, as Helm reads them.
func ReadValues(text string) (map[string]any, error) {
	values := map[string]any{}
	err := unmarshal(&source.Source{Text: text}, &values)
	return values, err
}

func (v *Values) addFile(src *source.Source) error {
	if lfs.IsPointer(src.Text) {
		return pointer(src)
	}
	values := map[string]any{}
	if err := unmarshal(src, &values); err != nil {
		return err
	}
	v.layers = append(v.layers, layer{src: src, values: values})
	return nil
}

// AddMerged adds values that a program has merged of nodes, the strongest first. Their places are in the nodes.
func (v *Values) AddMerged(name string, values map[string]any, of ...manifest.Node) {
	v.layers = append(v.layers, layer{src: &source.Source{Name: name}, values: values, roots: of})
}

// Set adds what a text such as a.b=1,c[0]={x,y} sets, as --set of Helm does. If isString is set, values are strings.
func (v *Values) Set(flag, text string, isString bool) error {
	list, err := settings(text, isString)
	for _, one := range list {
		one.flag = flag
		v.layers = append(v.layers, layer{setting: one})
	}
	return err
}

// IsZero reports whether v sets nothing.
func (v Values) IsZero() bool { return len(v.layers) == 0 }

// Files returns the names of the files.
func (v Values) Files() (names []string) {
	for _, l := range v.layers {
		if l.src != nil {
			names = append(names, l.src.Name)
		}
	}
	return names
}

// merged returns all values. A null stays, so that it removes a default of the chart.
func (v Values) merged() map[string]any {
	merged := map[string]any{}
	for _, l := range v.layers {
		if l.src == nil {
			setAt(merged, l.setting.steps, deepCopy(l.setting.value))
			continue
		}
		merged = Override(merged, deepCopy(l.values).(map[string]any))
	}
	return merged
}

// Override returns values, with those of a later file over those of an earlier one.
func Override(earlier, later map[string]any) map[string]any {
	merged := shallowCopy(earlier)
	for key, value := range later {
		table, isTable := value.(map[string]any)
		own, isOwnTable := merged[key].(map[string]any)
		if isTable && isOwnTable {
			value = Override(own, table)
		}
		merged[key] = value
	}
	return merged
}

// with returns v with another value of a layer.
func (v Values) with(number int, value any) Values {
	layers := slices.Clone(v.layers)
	if l := &layers[number]; l.src != nil {
		l.values = value.(map[string]any)
	} else {
		l.setting.value = value
	}
	return Values{layers}
}
