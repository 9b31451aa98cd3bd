package engine

import (
	"errors"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Limits of a render. They do not depend on the machine, so the outcome does not either. A chart of 130 files takes
// about a twentieth of them. Raise one if a public chart takes half of it.
const (
	MaxSteps     = 1_250_000 // nodes and calls
	maxBytes     = 64 << 20  // returned by functions, or written, in addition to bytesForByte
	maxString    = 8 << 20   // of one string, in bytes
	maxItems     = 2_500_000
	bytesForByte = 32     // more, for each byte of the chart
	maxStack     = 20_000 // nested calls and blocks
	maxNested    = 1000   // nested calls of one template (Helm's recursionMaxNums)
	// Nested calls of tpl. Helm has no limit, but each call keeps a copy of all templates in memory.
	MaxNestedTpl = 100
	cloneSteps   = 600 // of copying the functions for a call of tpl
	includeSteps = 2   // of a call of include, in addition to its nodes
	parseSteps   = 5   // of parsing an action in a call of tpl
	// Actions of the templates that are in memory. Each needs about a kilobyte. The largest chart of 29 public
	// repositories has fewer than 17,000.
	MaxActions = 100_000
)

var (
	errSteps   = errors.New("the templates take too many steps")
	errBytes   = errors.New("the templates produce too much text")
	errItems   = errors.New("the templates build values that are too large")
	errStack   = errors.New("the templates are nested too deeply")
	errActions = errors.New("the templates have too many actions")
	errCycle   = errors.New("the value would contain itself")
)

// limits are the errors about limits of kindvet. Nothing tells what Helm would do.
var limits = []error{errSteps, errBytes, errItems, errStack, errActions}

// asLimit returns the failure that an error is about a limit of kindvet, if it is one.
func asLimit(err error, at source.Place) (Failure, bool) {
	for _, limit := range limits {
		if errors.Is(err, limit) {
			return Failure{
				Message: limit.Error() + ", so the chart is not rendered", Rule: diag.ReaderLimit, At: at,
				Help: "to check the result, pipe the output of 'helm template' to kindvet",
			}, true
		}
	}
	return Failure{}, false
}

// Budget is what is left for a render.
type Budget struct {
	steps, bytes, items int
	ofChart             int // the size of the chart, in bytes
	actions             int // of the templates that are in memory
	longest             int // the size of the largest string, list or map so far, in bytes
	deepest             int // the depth of the arguments that are measured
	// shared are the maps that the values of the chart consist of.
	shared map[uintptr]bool
	// isCanceled ends the render when it is set; nil if nothing cancels it.
	isCanceled *atomic.Bool
}

// NewBudget returns the budget of a chart of a number of bytes. A large one may read and write more.
func NewBudget(size int) *Budget {
	return &Budget{
		ofChart: size, steps: MaxSteps, bytes: maxBytes + bytesForByte*size, items: maxItems, shared: map[uintptr]bool{},
	}
}

// Spent returns the steps that have been used since the budget was as before. Text and items count as many steps as
// the same share of their limits.
func (b *Budget) Spent(before *Budget) int64 {
	share := func(before, after, limit int) int64 { return int64(before-after) * MaxSteps / int64(limit) }
	return share(before.steps, b.steps, MaxSteps) + share(before.bytes, b.bytes, maxBytes) +
		share(before.items, b.items, maxItems)
}

// Continue sets what is left to what another budget has left.
func (b *Budget) Continue(other *Budget) {
	b.steps, b.bytes, b.items = other.steps, other.bytes, other.items
}

// Use makes a budget spend another one, until the returned function is called.
func (b *Budget) Use(other *Budget) (giveBack func()) {
	own := *b
	*b = *other
	b.actions, b.isCanceled = own.actions, own.isCanceled
	b.forget()
	return func() { *other, *b = *b, own }
}

// Until makes the render end when something is set.
func (b *Budget) Until(isCanceled *atomic.Bool) { b.isCanceled = isCanceled }

// Note makes the size of a string known that templates may read.
func (b *Budget) Note(size int) { b.longest = max(b.longest, size) }

// Refill makes the budget that of a new render with the same templates.
func (b *Budget) Refill() {
	fresh := NewBudget(b.ofChart)
	fresh.actions = b.actions
	*b = *fresh
}

// forget makes the budget forget the values of the chart.
func (b *Budget) forget() { b.shared, b.longest = map[uintptr]bool{}, 0 }

// Share makes the maps of a value known.
func (b *Budget) Share(value any) {
	switch v := value.(type) {
	case map[string]any:
		b.shared[reflect.ValueOf(v).Pointer()] = true
		b.longest = max(b.longest, len(v)*itemSize)
		for _, x := range v {
			b.Share(x)
		}
	case []any:
		b.longest = max(b.longest, len(v)*itemSize)
		for _, x := range v {
			b.Share(x)
		}
	case string:
		b.longest = max(b.longest, len(v))
	}
}

const itemSize = 64 // bytes of an item of a list or map, about

// step counts a node or a call. If there are long strings, it counts more, because any step may compare them.
func (b *Budget) step() error {
	if b.steps -= 1 + b.longest>>17; b.steps < 0 || b.isCanceled != nil && b.isCanceled.Load() {
		return errSteps
	}
	return nil
}

// parse counts the actions of a template that is about to be parsed.
func (b *Budget) parse(text string) error {
	if b.actions += strings.Count(text, "{{"); b.actions > MaxActions {
		return errActions
	}
	return nil
}

// release is the reverse of parse, for a template that is no longer needed.
func (b *Budget) release(text string) { b.actions -= strings.Count(text, "{{") }

// text counts a string that was written or returned.
func (b *Budget) text(size int) error {
	b.longest = max(b.longest, size)
	if b.bytes -= size; b.bytes < 0 || size > maxString {
		return errBytes
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// result counts what a function returned.
func (b *Budget) result(v reflect.Value) {
	if text, ok := stringIn(v); ok {
		must(b.text(len(text)))
		return
	}
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		must(b.item(v.Len()))
		b.longest = max(b.longest, v.Len()*itemSize)
	}
}

func (b *Budget) item(n int) error {
	if b.items -= n; b.items < 0 {
		return errItems
	}
	return nil
}

func stringIn(v reflect.Value) (string, bool) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		return v.String(), true
	}
	return "", false
}

// Functions whose arguments become part of their results, so that small calls could build a large value, and those
// that write a whole value. mergers change their first argument.
var (
	builders = setOf("dict", "set", "list", "tuple", "append", "mustAppend", "push", "mustPush", "prepend",
		"mustPrepend", "concat", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite")
	mergers = setOf("merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite")
	writers = setOf("toYaml", "toYamlPretty", "toJson", "toPrettyJson", "toRawJson", "mustToJson", "mustToPrettyJson",
		"mustToRawJson", "toToml", "print", "printf", "println", "html", "js", "urlquery", "quote", "squote", "cat",
		"toString", "join", "toStrings", "sortAlpha", "deepCopy", "mustDeepCopy", "deepEqual", "has", "mustHas", "uniq",
		"mustUniq", "without", "mustWithout")
)

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
