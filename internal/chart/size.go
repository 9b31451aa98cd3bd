package chart

import "reflect"

// size counts the items of a value, at all depths. For a builder, what templates see at their top and the values of
// the chart count as one item each, because most templates hand them on.
func (b *budget) size(v reflect.Value, depth int, isBuilder bool) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	must(b.item(1))
	if depth > maxNested {
		panic(errStack)
	}
	switch {
	case v.Kind() == reflect.String:
		must(b.text(v.Len() / 8))
	case v.Kind() == reflect.Map && !v.IsNil():
		if isBuilder && (b.shared[v.Pointer()] || isScope(v)) {
			return
		}
		for iter := v.MapRange(); iter.Next(); {
			b.size(iter.Value(), depth+1, isBuilder)
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		for i := range v.Len() {
			b.size(v.Index(i), depth+1, isBuilder)
		}
	}
}

// isScope reports whether a value is what a template sees at its top.
func isScope(v reflect.Value) bool {
	scope, ok := v.Interface().(map[string]any)
	if ok {
		_, ok = scope["Capabilities"].(*capabilities)
	}
	return ok
}

// checkCycle returns an error if a map is to become part of itself.
func checkCycle(name string, args []reflect.Value) error {
	if name != "set" || len(args) != 3 {
		return nil
	}
	return contains(args[2], args[0].Pointer(), map[uintptr]bool{})
}

// checkNotCyclic returns an error if a map contains itself.
func checkNotCyclic(v reflect.Value) error { return acyclic(v, map[uintptr]bool{}, map[uintptr]bool{}) }

// contains returns an error if a value contains the map at a pointer.
func contains(v reflect.Value, wanted uintptr, seen map[uintptr]bool) error {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Map:
		at := v.Pointer()
		if at == wanted {
			return errCycle
		}
		if seen[at] {
			return nil
		}
		seen[at] = true
		for iter := v.MapRange(); iter.Next(); {
			if err := contains(iter.Value(), wanted, seen); err != nil {
				return err
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := contains(v.Index(i), wanted, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

func acyclic(v reflect.Value, open, done map[uintptr]bool) error {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Map:
		at := v.Pointer()
		if open[at] {
			return errCycle
		}
		if done[at] {
			return nil
		}
		open[at] = true
		for iter := v.MapRange(); iter.Next(); {
			if err := acyclic(iter.Value(), open, done); err != nil {
				return err
			}
		}
		delete(open, at)
		done[at] = true
	case reflect.Slice:
		for i := range v.Len() {
			if err := acyclic(v.Index(i), open, done); err != nil {
				return err
			}
		}
	}
	return nil
}
