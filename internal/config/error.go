package config

import (
	"fmt"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Error is the error for invalid configuration files. Violations is not empty, and contains no text of a private file.
type Error struct{ Violations []diag.Violation }

// NewError returns the error for violations in configuration files.
func NewError(violations []diag.Violation) *Error {
	diag.HidePrivate(violations)
	return &Error{violations}
}

// ErrorAt returns the error for one word of a configuration file.
func ErrorAt(w source.Word, message string) *Error {
	return NewError([]diag.Violation{{Rule: diag.BadSetting, Severity: diag.Error, Message: message, Place: w.Place}})
}

// Error returns one line for each violation.
func (e *Error) Error() string {
	var lines []string
	for _, v := range e.Violations {
		line := fmt.Sprintf("%s:%d:%d: ", v.Place.File, v.Place.Start().Line, v.Place.Start().Column)
		if len(v.Path) > 0 {
			line += v.Path.String() + ": "
		}
		line += v.Message
		switch {
		case v.Help != "" && v.Rule == diag.MissingField: // the help says what the field is for
			line += ": " + v.Help
		case v.Help != "":
			line += "; " + v.Help
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
