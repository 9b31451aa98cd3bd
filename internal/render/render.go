// Package render formats a report for people and for machines. Each format has its own file.
//
// Text of a manifest is untrusted. All of it goes through clean, which escapes misleading characters and commands that
// CI systems would read, and then through the escaping of the format.
package render

import (
	"io"
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// Options say how to render a report. The zero value suits output to a pipe.
type Options struct {
	// Color turns on colors, OneLine limits each violation to one line, and ShowSuppressed includes suppressed
	// violations. They apply to the text format only.
	Color, OneLine, ShowSuppressed bool
	// Verbose lists the rules that were not evaluated and the places that a finding stands for, in the text format.
	Verbose bool
	// Version is the version of the program.
	Version string
	// FailOn is the lowest severity that counts as a failure in formats that report only failures; 0 means that
	// nothing does.
	FailOn diag.Severity
	// JUnit is the dialect of the JUnit format; "" means [JUnitGitLab].
	JUnit JUnitDialect
	// RepositoryPath maps the name of a file in the report to its path in the repository, with slashes. It returns
	// false for a file outside of a repository. Formats that other programs read use it. It may be nil.
	RepositoryPath func(file string) (string, bool)
}

// Format is an output format.
type Format struct {
	Name string
	// Objects and LineHashes mean that the format needs these parts of the report.
	Objects, LineHashes bool
	// StdoutOnly means that the format is of no use in a file.
	StdoutOnly bool
	// Render writes a whole report. The output depends only on the arguments.
	Render func(io.Writer, *diag.Report, Options) error
}

// Formats lists all formats, in the order in which the help lists them.
var Formats = []Format{
	{Name: "text", Render: Text},
	{Name: "json", Render: writeJSON},
	{Name: "jsonl", Render: writeJSONL},
	{Name: "sarif", Render: writeSARIF, LineHashes: true},
	{Name: "junit", Render: writeJUnit, Objects: true},
	{Name: "github", Render: writeGitHub, StdoutOnly: true},
	{Name: "gitlab", Render: writeGitLab},
	{Name: "checkstyle", Render: writeCheckstyle},
	{Name: "rdjson", Render: writeRDJSON},
	{Name: "tap", Render: writeTAP, Objects: true},
	{Name: "markdown", Render: writeMarkdown},
}

// Lookup returns the format with the given name. It returns false if there is none.
func Lookup(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Names returns the names of all formats.
func Names() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}

// homepage is the address of the project.
const homepage = "https://github.com/kindvet/kindvet"

// path returns the path of a file in its repository, or its cleaned name if that is not known. It has slashes and does
// not start with "./".
func (o *Options) path(file string) string {
	if o.RepositoryPath != nil {
		if p, ok := o.RepositoryPath(file); ok {
			return p
		}
	}
	return path.Clean(strings.ReplaceAll(file, `\`, "/"))
}

// headline returns the message of a violation, cleaned, with the path in front.
func headline(v *diag.Violation) string {
	return clean(v.Headline())
}

// withHelp returns the headline, followed by the help and by notes about the causes, each on a separate line.
func withHelp(v *diag.Violation) string {
	text := headline(v)
	if v.Help != "" {
		text += "\n" + clean(v.Help)
	}
	for _, note := range causeNotes(v) {
		text += "\n" + note
	}
	return text
}

// onOneLine returns the headline and the notes about the causes.
func onOneLine(v *diag.Violation) string {
	return strings.Join(append([]string{headline(v)}, causeNotes(v)...), "; ")
}

// causeNotes returns what formats without related places say about the causes of a violation.
func causeNotes(v *diag.Violation) (notes []string) {
	if len(v.Causes) == 0 {
		return nil
	}
	for _, note := range v.Notes() {
		notes = append(notes, clean(note.Message))
	}
	return notes
}

// isUnreadable reports whether a violation kept the document from being read.
func isUnreadable(v *diag.Violation) bool { return v.Rule == diag.Syntax || v.Rule == diag.ReaderLimit }
