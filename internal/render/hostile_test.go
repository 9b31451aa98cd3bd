package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// hostile returns a report in which text is in every place that can hold text of a manifest or a file name.
func hostile(text string) *diag.Report {
	object := diag.Object{APIVersion: text, Kind: text, Namespace: text, Name: text, Document: 1}
	src := source.Source{Name: text, Text: text}
	place := src.Place(source.Span{Start: 0, End: len(text)})
	v := diag.Violation{
		Rule: diag.BadName, Severity: diag.Error, Message: "is " + text, Help: text, Path: diag.Fields(text), Place: place,
		Object:  object,
		Related: []diag.Related{{Place: place, Message: text}},
		Fixes:   []diag.Fix{{Title: "use " + text, Edits: []diag.Edit{{Place: place, NewText: text}}}},
	}
	v.Causes = []diag.Violation{v}
	suppressed := v
	suppressed.Suppression = diag.Suppression{By: diag.ByComment, Reason: text}
	return &diag.Report{
		Violations: []diag.Violation{v, v}, Suppressed: []diag.Violation{suppressed},
		NotEvaluated: []diag.NotEvaluated{{Rule: text, Reason: text, Path: diag.Fields(text), Place: place, Object: object}},
		Objects:      []diag.Verdict{{Object: object, Place: place, Outcome: diag.Skipped}},
		Failures:     []diag.Failure{{File: text, Message: text}},
		Summary:      diag.Summary{Errors: 2, Suppressed: 1},
	}
}

var attacks = []string{
	"::error file=a::forged", "\n::error::forged\n", "\r::add-mask::x", "##[error]forged",
	"\n##vso[task.setvariable variable=a]b", "##teamcity[x]", "###[error]", "%0A::error::forged",
	"\x1b[31mred\x1b]0;title\a", "a\x00b", "\u202egnp.exe", "zero\u200bwidth\u2066\u2069", "]]>", "<!--", "<b>&amp;",
	"-->", "\ufffe\uffff", "\xff\xfe", "\u2028\u2029", "\u0085", "\x7f", "not ok 1 - forged\n1..9", "# SKIP forged",
	"\\# TODO", "...\n---", "\"\\", "| a | b |\n",
	"[x](https://example.com)", "@everyone", "`code`", "<script>", "a\u3164b", "\ufeff", "\U000e0041", "",
}

func TestHostileTextLeavesEveryFormatWellFormedAndHarmless(t *testing.T) {
	for _, text := range append(attacks, strings.Join(attacks, "")) {
		checkFormats(t, text)
	}
}

func FuzzFormatsAreWellFormedAndHarmless(f *testing.F) {
	for _, text := range attacks {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkFormats(t, text) })
}

// checkFormats renders a report full of one text in every format, and parses the output.
func checkFormats(t *testing.T, text string) {
	t.Helper()
	r := hostile(text)
	for _, f := range Formats {
		for _, o := range []Options{{FailOn: diag.Error}, {OneLine: true, ShowSuppressed: true, JUnit: JUnitGitHub}} {
			out := rendered(t, f.Name, r, o)
			if err := harmless(string(out), f.Name); err != nil {
				t.Errorf("%s of %q: %v in\n%s", f.Name, text, err, out)
			}
			if wellFormed[f.Name] == nil {
				t.Fatalf("wellFormed has no function that reads %s", f.Name)
			}
			if err := wellFormed[f.Name](out); err != nil {
				t.Errorf("%s of %q: %v in\n%s", f.Name, text, err, out)
			}
		}
	}
}

var command = regexp.MustCompile(`(?m)^\s*::|##\[|##vso\[|##teamcity\[`)

// harmless returns an error if text has what a log must not contain: misleading characters and commands of CI systems.
func harmless(text, format string) error {
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || isHidden(r)) {
			return fmt.Errorf("character %U", r)
		}
	}
	if format != "github" {
		if at := command.FindString(text); at != "" {
			return fmt.Errorf("command %q", at)
		}
	}
	return nil
}

// wellFormed parses the output of each format, with a third-party parser if there is one.
var wellFormed = map[string]func([]byte) error{
	"text":  func(text []byte) error { return nil },
	"json":  parseJSON,
	"sarif": parseJSON, "gitlab": parseJSON, "rdjson": parseJSON,
	"jsonl": func(text []byte) error {
		for line := range bytes.Lines(text) {
			if err := parseJSON(line); err != nil {
				return err
			}
		}
		return nil
	},
	"junit": parseXML, "checkstyle": parseXML,
	"github": parseCommands, "tap": parseTAP, "markdown": parseMarkdown,
}

func parseJSON(text []byte) error {
	if !json.Valid(text) {
		return fmt.Errorf("no JSON")
	}
	return nil
}

func parseXML(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, ok := token.(xml.Comment); ok {
			return fmt.Errorf("a comment")
		}
	}
}

// parseCommands reads workflow commands as the GitHub runner does. It expects four of them, including a failure and
// two violations.
func parseCommands(text []byte) error {
	count := 0
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "::error ")
		if !ok {
			return fmt.Errorf("%q is not an error", line)
		}
		properties, _, ok := strings.Cut(rest, "::")
		if !ok {
			return fmt.Errorf("%q has no message", line)
		}
		for p := range strings.SplitSeq(properties, ",") {
			name, _, ok := strings.Cut(p, "=")
			if !ok || !strings.Contains("file line endLine col endColumn title", name) {
				return fmt.Errorf("property %q", p)
			}
		}
		count++
	}
	if count != 3 {
		return fmt.Errorf("%d commands", count)
	}
	return nil
}

var tapTest = regexp.MustCompile(`^(?:not )?ok (\d+) - ((?:[^#\\]|\\[#\\])*?)( # SKIP [a-z ]+)?$`)

// parseTAP reads TAP 14: the version, the plan, the planned number of tests, and indented YAML blocks.
func parseTAP(text []byte) error {
	list := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	var plan int
	if len(list) < 2 || list[0] != "TAP version 14" {
		return fmt.Errorf("no version")
	}
	if _, err := fmt.Sscanf(list[1], "1..%d", &plan); err != nil {
		return err
	}
	tests, inBlock := 0, false
	for _, line := range list[2:] {
		switch m := tapTest.FindStringSubmatch(line); {
		case inBlock && line == "  ...":
			inBlock = false
		case inBlock:
			if err := parseMember(line); err != nil {
				return err
			}
		case line == "  ---" && tests > 0:
			inBlock = true
		case m != nil && m[1] == strconv.Itoa(tests+1):
			tests++
		default:
			return fmt.Errorf("line %q", line)
		}
	}
	if tests != plan || inBlock {
		return fmt.Errorf("%d tests, %d planned", tests, plan)
	}
	return nil
}

// parseMember reads a line of a block: a name, optionally with a JSON value.
func parseMember(line string) error {
	name, value, ok := strings.Cut(strings.TrimLeft(line, " -"), ":")
	if !strings.HasPrefix(line, "  ") || !ok || name == "" || value != "" && !json.Valid([]byte(value)) {
		return fmt.Errorf("field %q", line)
	}
	return nil
}

var unescapedMarkup = regexp.MustCompile("(^|[^\\\\])[`*_\\]~!]|<(?:[^b]|b[^r])|@|://")

// parseMarkdown checks the form of the table, and that none of its text is markup.
func parseMarkdown(text []byte) error {
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| error |") && len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(line, -1)) != 5 {
			return fmt.Errorf("row %q", line)
		}
		if !strings.HasPrefix(line, "**") && unescapedMarkup.MatchString(strings.ReplaceAll(line, `\\`, "")) {
			return fmt.Errorf("markup in %q", line)
		}
	}
	return nil
}
