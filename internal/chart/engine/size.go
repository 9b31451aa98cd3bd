package engine

import (
	"reflect"
	"strings"
)

// amount is what the arguments of a call consist of, at all depths.
type amount struct{ items, bytes, depth int }

// textShare is the part of the arguments of a call that counts as text: most are handed on, not copied.
const textShare = 8

// longText is the size of a string that counts in full, because some functions, such as int, need long for one.
const longText = 1 << 20

// costs are the functions that need longer for a string than to copy it, as about how many nanoseconds for a byte. Those
// that read a string as a number quote it in an error that nobody sees.
var costs = costsOf(map[int]string{
	2: "sha1sum sha256sum adler32sum b64enc regexQuoteMeta fromJson trim trimAll trimSuffix trimPrefix contains replace wrap",
	4: "sha512sum toDate mustToDate b32enc b32dec b64dec indent nindent toStrings sortAlpha",
	8: "initials nospace urlParse urlJoin encryptAES decryptAES quote squote toToml splitList abbrev abbrevboth toJson " +
		"toRawJson mustToJson mustToRawJson",
	24: "int int64 float64 atoi toDecimal add add1 sub mul div mod max min biggest floor ceil round addf add1f subf mulf " +
		"divf maxf minf until untilStep lower upper title untitle swapcase camelcase kebabcase snakecase html js urlquery " +
		"toPrettyJson mustToPrettyJson wrapWith",
	96: "toYaml toYamlPretty",
	64: "split splitn semver semverCompare",
})

func costsOf(lists map[int]string) map[string]int {
	costs := map[string]int{}
	for cost, names := range lists {
		for name := range strings.FieldsSeq(names) {
			costs[name] = cost
		}
	}
	return costs
}

// charge counts what a function costs more than to copy its strings.
func (b *Budget) charge(name string, args []reflect.Value, of amount, isWhole bool) error {
	cost := costs[name]
	if cost < 2 {
		return nil
	}
	size := 0
	if isWhole {
		size = of.bytes + bytesOfItem*of.items
	} else {
		for _, arg := range args {
			if text, ok := stringIn(arg); ok {
				size += len(text)
			} else if arg.Kind() == reflect.Slice && arg.Len() < maxCharged { // of a function with any number of arguments
				for i := range arg.Len() {
					if text, ok := stringIn(arg.Index(i)); ok {
						size += len(text)
					}
				}
			}
		}
	}
	if b.bytes -= size / textShare * (cost - 1); b.bytes < 0 {
		return errBytes
	}
	return nil
}

// bytesOfItem is how many bytes of text take as long to write as an item of a list or map in addition to its text.
const bytesOfItem = 24

// maxCharged is the maximum number of arguments whose strings are counted. More are counted as items. A template may
// pass a list of millions.
const maxCharged = 10_000

// measure counts the arguments of a call: the strings among them, or the whole values.
func (b *Budget) measure(args []reflect.Value, isWhole, isBuilder bool) amount {
	items, bytes := b.items, b.bytes
	b.deepest = 0
	for _, arg := range args {
		if isWhole {
			b.size(arg, 0, isBuilder)
		} else if text, ok := stringIn(arg); ok && len(text) > longText {
			must(b.text(len(text)))
		} else if ok {
			must(b.text(len(text) / textShare))
		} else {
			must(b.work(lengthOf(arg) / 16)) // many functions copy a list
		}
	}
	return amount{items - b.items, (bytes - b.bytes) * textShare, b.deepest}
}

// size counts the items of a value, at all depths. For a builder, what templates see at their top and the values of
// the chart count as one item each, because most templates hand them on.
func (b *Budget) size(v reflect.Value, depth int, isBuilder bool) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	must(b.item(1))
	b.deepest = max(b.deepest, depth)
	if depth > maxNested {
		panic(errStack)
	}
	switch {
	case v.Kind() == reflect.String:
		must(b.text(v.Len() / textShare))
	case v.Kind() == reflect.Map && !v.IsNil():
		if isBuilder && (b.shared[v.Pointer()] || isScope(v)) {
			return
		}
		for iter := v.MapRange(); iter.Next(); {
			if key := iter.Key(); key.Kind() == reflect.String {
				must(b.text(key.Len() / textShare))
			}
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
		_, ok = scope["Capabilities"].(*Capabilities)
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

// counted returns a function that counts its calls, arguments and results. A function that exceeds the budget panics
// with an error, which text/template returns.
func (b *Budget) counted(name string, function any) any {
	f := reflect.ValueOf(function)
	isBuilder, isWriter := builders[name], writers[name]
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		must(b.step())
		of := b.measure(args, isWriter || isBuilder, isBuilder && !mergers[name]) // mergers look at all values
		must(b.charge(name, args, of, isWriter || isBuilder))
		must(b.precheck(name, args, of))
		if isBuilder {
			must(checkCycle(name, args))
		}
		var out []reflect.Value
		if f.Type().IsVariadic() {
			out = f.CallSlice(args)
		} else {
			out = f.Call(args)
		}
		if mergers[name] && len(args) > 0 {
			must(checkNotCyclic(args[0]))
		}
		b.result(out[0])
		return out
	}).Interface()
}
