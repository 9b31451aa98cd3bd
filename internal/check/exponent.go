package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// exponentMark is in each number that Go prints with a positive exponent, and exponentPattern matches such numbers.
const exponentMark = "e+"

var exponentPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-?\b[0-9](?:\.[0-9]+)?e\+[0-9]{2,3}\b`)
})

// mostExponents is the maximum number of numbers with exponents of an object for which a value is looked for. Each takes
// experiments.
const mostExponents = 20

// exponents returns the findings about numbers with exponents in the strings of an object, if a chart writes it. Whether values
// supplied them, [Result.DropExponents] finds out.
func (c *checker) exponents(n manifest.Node, d *document) (violations []diag.Violation) {
	if sp := n.Span(); !c.file.IsSupplied || d.inList || !strings.Contains(c.src.Text[sp.Start:sp.End], exponentMark) {
		return nil
	}
	isCut := false
	var add func(n manifest.Node)
	add = func(n manifest.Node) {
		switch n.Type() {
		case manifest.Map, manifest.List:
			for child := range n.Children() {
				add(child)
			}
		case manifest.String:
			if !strings.Contains(n.Text(), exponentMark) {
				return
			}
			for _, at := range exponentPattern().FindAllStringIndex(n.Text(), -1) {
				if len(violations) == mostExponents {
					isCut = true
					return
				}
				v := violation(n, diag.PrintedExponent, "Helm prints a number with an exponent", printAsInteger)
				v.Severity = diag.Warning
				if at[1]-at[0] < len(n.Text()) {
					v.Place = n.Tree().Source.Place(source.Span{Start: n.TextOffset(at[0]), End: n.TextOffset(at[1]-1) + 1})
				}
				violations = append(violations, v)
			}
		}
	}
	add(n)
	if isCut {
		c.takeNotEvaluated([]diag.NotEvaluated{{
			Rule: string(diag.PrintedExponent), Reason: fmt.Sprintf("the object has more than %d numbers with exponents", mostExponents),
			Place: n.HeadPlace(), Path: n.Path(), Object: kept(d.Object),
		}})
	}
	return violations
}

const printAsInteger = "put quotes around the number where it is set, or print it with int64"

// DropExponents drops the findings about numbers with exponents that no value supplied, and those about what is an error. Places
// are in src, not in the template yet. supplied is as in [Result.Rendered].
func (o *Result) DropExponents(src *source.Source, supplied func(source.Span) []diag.Related) {
	var wrong []source.Place
	for i := range o.Violations {
		if v := &o.Violations[i]; v.Severity == diag.Error && len(wrong) < mostRepeated {
			wrong = append(wrong, v.Place)
		}
	}
	o.Drop(func(v *diag.Violation) bool {
		if v.Rule != diag.PrintedExponent {
			return false
		}
		at := v.Place.Found()
		_, ok := suppliedNumber(src.Text[at.Start:at.End], supplied(at))
		return !ok || slices.ContainsFunc(wrong, v.Place.IsSame)
	})
}

// suppliedNumber returns the number that a value supplied, if it is printed with an exponent in a text. from is where the
// values are set that supplied it.
func suppliedNumber(text string, from []diag.Related) (number string, ok bool) {
	if len(from) != 1 || !strings.Contains(text, exponentMark) {
		return "", false
	}
	number = from[0].Place.Text()
	printed := exponentPattern().FindString(text)
	ok = from[0].IsSupplier && isInteger(number) && isSame(number, printed) && !strings.Contains(from[0].Place.File, ".tgz/")
	return number, ok
}

// quoteNumber tells in a finding about a number with an exponent which number of the values it is.
func quoteNumber(v *diag.Violation, raw string, from []diag.Related) {
	number, ok := suppliedNumber(raw, from)
	switch {
	case !ok:
		return
	case v.Rule == diag.PrintedExponent:
		v.Message = "Helm prints the number " + diag.Cut(number, longestNumber) + " as " + exponentPattern().FindString(raw)
	case v.Rule == diag.BadMetadata:
		v.Help = printAsInteger
	default:
		return
	}
	v.Fixes = nil
	if quoted := strconv.Quote(number); from[0].Place.Accepts(quoted) {
		edit := diag.Edit{Place: from[0].Place, NewText: quoted}
		v.Fixes = []diag.Fix{{Title: "put quotes around the number", Edits: []diag.Edit{edit}}}
	}
}

const longestNumber = 40

func isInteger(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func isSame(number, printed string) bool {
	a, err := strconv.ParseFloat(number, 64)
	b, errPrinted := strconv.ParseFloat(printed, 64)
	return err == nil && errPrinted == nil && a == b
}
