package cel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

// Fault says why an expression does not compile, and where.
type Fault struct {
	Message string
	// Offset is the position in the expression, in bytes, or -1 if the fault concerns the whole expression.
	Offset int
	// Help is the edit to make, if it is known, and Gate the feature gate that would allow the expression.
	Help, Gate string
	// IsLimit means that kindvet has not checked the expression, because that would take too long.
	IsLimit bool
}

// faultsOf converts the issues that CEL's checker found in an expression.
func faultsOf(text string, issues *cel.Issues) []Fault {
	var faults []Fault
	for _, e := range issues.Errors() {
		faults = append(faults, Fault{Message: shortened(e.Message), Offset: offsetOf(text, e.Location)})
	}
	return faults
}

// maxExpected is the largest number of tokens that a syntax error lists. There may be twenty, of which most are no
// help.
const maxExpected = 5

// shortened replaces the list of all tokens that the parser expected, which can be twenty, by what they are.
func shortened(message string) string {
	before, rest, ok := strings.Cut(message, "expecting {")
	list, isWhole := strings.CutSuffix(rest, "}")
	if !ok || !isWhole {
		return message
	}
	switch tokens := strings.Split(list, ", "); {
	case len(tokens) <= maxExpected:
		return message
	case slices.Contains(tokens, "IDENTIFIER") && slices.Contains(tokens, "STRING"):
		return before + "expecting an expression"
	case slices.Contains(tokens, "'=='"):
		return before + "expecting an operator"
	default:
		return before + "expecting one of " + strings.Join(tokens[:maxExpected], ", ") + " and " +
			strconv.Itoa(len(tokens)-maxExpected) + " more"
	}
}

// offsetOf converts a position into a byte offset. The line starts at 1, the column at 0; the column counts
// characters.
func offsetOf(text string, at common.Location) int {
	offset := 0
	for range at.Line() - 1 {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return -1
		}
		offset += next + 1
	}
	column := at.Column()
	for i := range text[offset:] {
		if column == 0 {
			return offset + i
		}
		column--
	}
	if column == 0 {
		return len(text)
	}
	return -1
}

// JoinFaults returns faults as a single line.
func JoinFaults(faults []Fault) string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.Message)
	}
	return strings.Join(lines, "; ")
}
