package engine

import (
	"reflect"
	"regexp/syntax"
	"strings"

	"github.com/kindvet/kindvet/internal/manifest"
)

// Limits of one call of a function. A call that stays below them takes at most a few seconds. A regular expression
// that a template of 29 public repositories writes as a literal has at most 30 bytes.
const (
	maxWritten = 8 * maxString // bytes that a function writes before its result is counted
	MaxPattern = 100_000       // parts of a regular expression with its repetitions
	maxPieces  = 250_000       // of a string that is split into a map
	// bytes of YAML or TOML that a function reads; it needs about a hundred times as many
	maxRead          = 2 << 20
	maxNestedTOML    = 100_000 // brackets of TOML, which is read recursively
	certificateSteps = 300
	maxNumber        = 1 << 30
	longSearch       = 64 << 10  // bytes of a text whose matches are counted before they are searched
	maxSequence      = 1_000_000 // the largest number in a sequence that is written as a string
)

// precheck rejects calls whose arguments ask for a large result or much work, and counts the work.
func (b *Budget) precheck(name string, args []reflect.Value, of amount) error {
	if writers[name] && of.bytes+of.items*(textShare+4*of.depth) > maxWritten {
		return errBytes
	}
	switch name {
	case "repeat":
		return fits(numberIn(args[0]), args[1].Len())
	case "indent", "nindent":
		return fits(numberIn(args[0]), 1+strings.Count(args[1].String(), "\n"))
	case "until", "untilStep":
		return b.numbers(args)
	case "seq":
		return b.sequence(args[0])
	case "wrapWith":
		return fits(args[2].Len(), 1+args[1].Len())
	case "replace":
		if args[0].Len() == 0 {
			return fits(args[2].Len()+1, 1+args[1].Len())
		}
		return fits(args[2].Len()/args[0].Len()+1, args[1].Len())
	case "join":
		return fits(lengthOf(args[1]), args[0].Len())
	case "printf":
		return formats(args[0].String(), of)
	case "split", "splitn":
		if strings.Count(args[len(args)-1].String(), args[0].String()) > maxPieces {
			return errItems
		}
	case "uniq", "mustUniq":
		return b.compare(lengthOf(args[0]), of)
	case "without", "mustWithout":
		return b.compare(args[1].Len(), of)
	case "addf", "subf", "mulf", "divf": // each argument makes the exact result longer
		return b.work(args[len(args)-1].Len() * args[len(args)-1].Len())
	case "fromYaml", "fromYamlArray":
		return b.read(args[0].Len() + manifest.Aliased(args[0].String()))
	case "fromJson", "fromJsonArray", "mustFromJson":
		return b.text(args[0].Len())
	case "semverCompare":
		return b.work(4 * args[0].Len())
	case "fromToml":
		return b.readTOML(args[0].String())
	}
	if strings.HasPrefix(name, "gen") { // a key or a certificate
		return b.work(certificateSteps)
	}
	if strings.HasPrefix(strings.TrimPrefix(strings.ToLower(name), "must"), "regex") && len(args) > 1 {
		return b.search(name, args)
	}
	return nil
}

// numberIn returns a number, or the limit if it is larger.
func numberIn(v reflect.Value) int {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case v.IsValid() && v.CanInt():
		return int(max(-maxNumber, min(v.Int(), maxNumber)))
	case v.IsValid() && v.CanFloat():
		return int(max(-maxNumber, min(v.Float(), maxNumber)))
	}
	return 0
}

// lengthOf returns the length of a list or map, or 0.
func lengthOf(v reflect.Value) int {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Array || v.Kind() == reflect.Map {
		return v.Len()
	}
	return 0
}

// fits rejects a string of a number of parts that is too long.
func fits(count, size int) error {
	if count > 0 && size > 0 && (count > maxString || size > maxString || count*size > maxString) {
		return errBytes
	}
	return nil
}

// numbers counts the items of a list of numbers: up to the last, or from the first to the last with a step.
func (b *Budget) numbers(args []reflect.Value) error {
	first, last, step := 0, numberIn(args[0]), 1
	if len(args) == 3 {
		first, last, step = last, numberIn(args[1]), numberIn(args[2])
	} else if last < 0 {
		step = -1
	}
	for _, n := range []int{first, last, step} {
		if n >= maxNumber || n <= -maxNumber {
			return errItems
		}
	}
	if step == 0 {
		return nil
	}
	return b.item(max(0, (last-first)/step))
}

// sequence counts the numbers of a sequence, which is written as a string. It rejects a long one.
func (b *Budget) sequence(args reflect.Value) error {
	longest := int64(0)
	for i := range args.Len() {
		n := args.Index(i).Int()
		if n > maxSequence || n < -maxSequence {
			return errItems
		}
		longest = max(longest, n, -n)
	}
	return b.item(int(longest))
}

// formats rejects a format that writes much: with wide fields, or with an argument many times.
func formats(format string, of amount) error {
	widest, n := 0, 0
	for _, r := range format {
		switch {
		case r >= '0' && r <= '9':
			n = min(10*n+int(r-'0'), maxString)
		case r == '*':
			n = maxSequence // the limit of text/template
		default:
			n = 0
		}
		widest = max(widest, n)
	}
	size := len(format) + widest
	if strings.Contains(format, "[") { // an argument by its number
		size += of.bytes + of.items*textShare
	}
	if size > maxWritten || strings.Count(format, "%") > maxWritten/max(size, 1) {
		return errBytes
	}
	return nil
}

// compare counts the work of comparing each part of the arguments with a number of values.
func (b *Budget) compare(count int, of amount) error {
	return b.work(count * (of.items + of.bytes/itemSize) / 16)
}

// work counts steps.
func (b *Budget) work(steps int) error {
	if b.steps -= min(steps, MaxSteps+1); b.steps < 0 {
		return errSteps
	}
	return nil
}

// read counts the work of reading YAML or TOML.
func (b *Budget) read(size int) error {
	if b.bytes -= 24 * size; size > maxRead || b.bytes < 0 {
		return errBytes
	}
	return nil
}

// readTOML rejects TOML that is deeply nested, or has long keys: of each key, all that it starts with is kept.
func (b *Budget) readTOML(text string) error {
	keys := 0
	for line := range strings.Lines(text) {
		dots := strings.Count(line, ".")
		keys = min(keys+dots*dots, maxItems+1)
	}
	if keys > maxItems || strings.Count(text, "[")+strings.Count(text, "{") > maxNestedTOML {
		return errItems
	}
	return b.read(len(text))
}

// search counts the work of a regular expression: each byte of the text may be compared with each part of the pattern.
// An invalid pattern has none.
func (b *Budget) search(name string, args []reflect.Value) error {
	pattern, text := args[0].String(), args[1].String()
	if len(pattern) > MaxPattern {
		return errSteps
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	size := PatternSize(parsed)
	if size > MaxPattern {
		return errSteps
	}
	calls := 1
	if len(args) == 3 && args[2].Kind() == reflect.String {
		by := args[2].String()
		if (len(text)+1)*len(by) > maxWritten || len(text)*strings.Count(by, "$") > maxWritten {
			return errBytes
		}
		calls += strings.Count(by, "$")
	}
	isMany := strings.Contains(name, "FindAll") || strings.Contains(name, "Split")
	if isMany && len(text) > longSearch { // each byte may be a match; the matches of a short text are counted later
		if err := b.item(len(text)); err != nil {
			return err
		}
	}
	return b.work((len(text)/itemSize + 1) * size * calls)
}

// PatternSize returns about how many instructions a pattern is compiled to. The parser limits its depth and
// repetitions.
func PatternSize(pattern *syntax.Regexp) int {
	size := 1
	if pattern.Op == syntax.OpLiteral {
		size = len(pattern.Rune)
	}
	for _, sub := range pattern.Sub {
		size += PatternSize(sub)
	}
	return size * max(1, pattern.Min, pattern.Max)
}
