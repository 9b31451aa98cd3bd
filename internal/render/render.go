// Package render turns a report into text for people and for machines, one file a format.
//
// What a manifest says is hostile until proved otherwise: every text of it goes through clean, which leaves no
// character that is not what it looks like and no command that a CI system would read, and then through the escapes
// of the format.
package render

import (
	"io"
	"path"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
)

// Options say how to render. The zero value is what a pipe wants.
type Options struct {
	// Color asks for colors, OneLine for one line a violation, ShowSuppressed for violations that were accepted; all
	// of them are about text.
	Color, OneLine, ShowSuppressed bool
	// Verbose lists the rules that were not evaluated, in text.
	Verbose bool
	// Version is the version of the program.
	Version string
	// FailOn is the lowest severity that is a failure to a format that knows nothing but failures; 0 for none.
	FailOn diag.Severity
	// JUnit is the dialect of that format; "" means JUnitGitLab.
	JUnit JUnitDialect
	// RepositoryPath gives a file, by its name in the report, the path that a repository has for it, with slashes;
	// false for a file that is in none. Formats that name files to other programs ask it; nil knows no repository.
	RepositoryPath func(file string) (string, bool)
}

// Format is one way to write a report.
type Format struct {
	Name string
	// Objects and LineHashes say that the format needs the report to hold them.
	Objects, LineHashes bool
	// StdoutOnly means that the format is not usable in a file.
	StdoutOnly bool
	// Render writes a whole report; what it writes depends on nothing but its arguments.
	Render func(io.Writer, *diag.Report, Options) error
}

// Formats are all formats, in the order in which help lists them.
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

// Lookup returns the format of a name.
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

// homepage is where the program lives.
const homepage = "https://github.com/kindvet/kindvet"

// path returns the path of a file in its repository, as far as that is known: with slashes, and no "./" in front.
func (o *Options) path(file string) string {
	if o.RepositoryPath != nil {
		if p, ok := o.RepositoryPath(file); ok {
			return p
		}
	}
	return path.Clean(strings.ReplaceAll(file, `\`, "/"))
}

// headline is the message of a violation with its path in front, clean.
func headline(v *diag.Violation) string {
	if len(v.Path) == 0 {
		return clean(v.Message)
	}
	return clean(v.Path.String() + ": " + v.Message)
}

// withHelp is the headline, and the help on a line of its own.
func withHelp(v *diag.Violation) string {
	if v.Help == "" {
		return headline(v)
	}
	return headline(v) + "\n" + clean(v.Help)
}

// isUnreadable reports whether a violation kept the document from being read at all.
func isUnreadable(v *diag.Violation) bool { return v.Rule == diag.Syntax || v.Rule == diag.ReaderLimit }
