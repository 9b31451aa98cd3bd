package cel

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

// Fault says why an expression does not compile, and where.
type Fault struct {
	Message string
	// Offset is the place in the expression, in bytes; -1 for the whole of it.
	Offset int
}

// faultsOf returns what CEL's checker found in an expression.
func faultsOf(text string, issues *cel.Issues) []Fault {
	var faults []Fault
	for _, e := range issues.Errors() {
		faults = append(faults, Fault{e.Message, offsetOf(text, e.Location)})
	}
	return faults
}

// offsetOf turns a line from 1 and a column from 0, in characters, into an offset.
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

// JoinFaults returns faults as one line.
func JoinFaults(faults []Fault) string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.Message)
	}
	return strings.Join(lines, "; ")
}
