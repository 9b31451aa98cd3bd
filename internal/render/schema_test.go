package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/report"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/workspace"
)

// reports returns reports of all kinds, including one of a real run. The output of every format must match its schema.
func reports(t *testing.T) map[string]*diag.Report {
	t.Helper()
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	demo, err := workspace.Run(t.Context(), workspace.Options{
		Files:  find.Options{Base: find.OnDisk(top), Paths: []string{filepath.Join("testdata", "demo"), "nothere.yaml"}},
		Check:  check.Options{Objects: true},
		Report: report.Options{LineHashes: true},
	})
	if err != nil || len(demo.Report.Violations) == 0 || demo.Report.Violations[0].LineHash == "" {
		t.Fatalf("the demonstration has %d violations, error %v", len(demo.Report.Violations), err)
	}
	return map[string]*diag.Report{
		"sample": sample(), "empty": {}, "hostile": hostile("\x1b[31m::error::]]>\x00\u202e"), "demo": &demo.Report,
	}
}

func TestReportsFitTheirJSONSchemas(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{
		"json":   compileSchema(t, "report.schema.json", ReportSchema),
		"sarif":  compileSchema(t, "sarif-2.1.0.json", readSchema(t, "sarif-2.1.0.json")),
		"rdjson": compileSchema(t, "rdjson.json", readSchema(t, "rdjson.json")),
	}
	for format, schema := range schemas {
		for name, r := range reports(t) {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(rendered(t, format, r, Options{Version: "1"})))
			if err != nil {
				t.Fatalf("%s of %s: %v", format, name, err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s of %s: %v", format, name, err)
			}
		}
	}
}

func readSchema(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schemas", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func compileSchema(t *testing.T, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The schema must reject other JSON; otherwise matching it would prove nothing.
func TestTheReportSchemaRejectsOtherJSON(t *testing.T) {
	schema := compileSchema(t, "report.schema.json", ReportSchema)
	text := string(rendered(t, "json", sample(), Options{}))
	for _, change := range [][2]string{
		{`"severity": "error"`, `"severity": "fatal"`}, {`"line": 3`, `"line": 0`}, {`"help"`, `"halp"`},
		{`"files"`, `"filed"`},
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(text, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(value) == nil {
			t.Errorf("the schema takes %s", change[1])
		}
	}
}

// Checks what GitHub code scanning requires beyond the schema (docs.github.com, SARIF support for code scanning).
func TestSARIFHoldsWhatCodeScanningRequires(t *testing.T) {
	for name, r := range reports(t) {
		var log sarifLog
		unmarshal(t, rendered(t, "sarif", r, Options{Version: "1"}), &log)
		for _, rule := range log.Runs[0].Tool.Driver.Rules {
			short, full := rule.ShortDescription.Text, rule.FullDescription.Text
			if rule.ID == "" || short == "" || full == "" || rule.Help.Text == "" || rule.Help.Markdown == "" ||
				len(rule.Name) > 255 {
				t.Errorf("%s: rule %+v lacks a text", name, rule)
			}
			if len([]rune(short)) > 1024 || len([]rune(full)) > 1024 || len(rule.Properties.Tags) > 20 {
				t.Errorf("%s: rule %s is too long", name, rule.ID)
			}
		}
		for _, result := range log.Runs[0].Results {
			region := result.Locations[0].Physical.Region
			if region.StartLine < 1 || region.StartColumn < 1 || region.EndLine < region.StartLine ||
				region.EndLine == region.StartLine && region.EndColumn <= region.StartColumn {
				t.Errorf("%s: region %+v", name, *region)
			}
			if result.Message.Text == "" || len(result.Fingerprints) == 0 {
				t.Errorf("%s: result %+v lacks its message or its fingerprint", name, result)
			}
			if u := result.Locations[0].Physical.Artifact.URI; u == "" || strings.ContainsAny(u, " \\:") ||
				strings.HasPrefix(u, "./") {
				t.Errorf("%s: URI %q", name, u)
			}
			if log.Runs[0].Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID {
				t.Errorf("%s: result %s has the index of another rule", name, result.RuleID)
			}
		}
	}
}

func TestSARIFIsCutToWhatCodeScanningTakesTheWorstFirst(t *testing.T) {
	r := &diag.Report{}
	for range mostResults {
		r.Violations = append(r.Violations, diag.Violation{Rule: "a", Severity: diag.Warning, Message: "m"})
	}
	var whole, log sarifLog
	unmarshal(t, rendered(t, "sarif", r, Options{}), &whole)
	if n := len(whole.Runs[0].Results); n != mostResults || len(whole.Runs[0].Invocations[0].Notifications) > 0 {
		t.Errorf("of as many results as code scanning takes there are %d, and notifications", n)
	}
	r.Violations = append(r.Violations, diag.Violation{Rule: "b", Severity: diag.Error, Message: "m"})
	unmarshal(t, rendered(t, "sarif", r, Options{}), &log)
	results, notes := log.Runs[0].Results, log.Runs[0].Invocations[0].Notifications
	if len(results) != mostResults || results[0].RuleID != "b" {
		t.Errorf("%d results, the first of rule %s", len(results), results[0].RuleID)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0].Message.Text, "1 results were left out") {
		t.Errorf("notifications %+v", notes)
	}
}

// Checks what GitLab requires of a Code Quality report (docs.gitlab.com, Code Quality report format).
func TestGitLabReportsHoldWhatGitLabRequires(t *testing.T) {
	for name, r := range reports(t) {
		var issues []map[string]any
		unmarshal(t, rendered(t, "gitlab", r, Options{}), &issues)
		seen := map[any]bool{}
		for _, issue := range issues {
			location, _ := issue["location"].(map[string]any)
			lines, _ := location["lines"].(map[string]any)
			begin, _ := lines["begin"].(float64)
			path, _ := location["path"].(string)
			severities := []any{"info", "minor", "major", "critical", "blocker"}
			if issue["description"] == "" || issue["check_name"] == "" || begin < 1 || path == "" ||
				strings.HasPrefix(path, "./") ||
				!slices.Contains(severities, issue["severity"]) {
				t.Errorf("%s: issue %v", name, issue)
			}
			if seen[issue["fingerprint"]] {
				t.Errorf("%s: two issues have the fingerprint %v", name, issue["fingerprint"])
			}
			seen[issue["fingerprint"]] = true
		}
	}
}

func unmarshal(t *testing.T, text []byte, value any) {
	t.Helper()
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
}

// The published JUnit schema does not allow a file or line on a test. The strict dialect must match the whole schema,
// and the other dialects must match it apart from these attributes.
func TestJUnitReportsFitTheSchemaOfJenkins(t *testing.T) {
	schema := readXSD(t, readSchema(t, "junit.xsd"))
	for name, r := range reports(t) {
		if err := schema.check(rendered(t, "junit", r, Options{JUnit: JUnitJenkins, FailOn: diag.Error})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, dialect := range []JUnitDialect{JUnitGitLab, JUnitGitHub} {
			err := schema.check(rendered(t, "junit", r, Options{JUnit: dialect, FailOn: diag.Error}))
			if err != nil && !strings.Contains(err.Error(), "testcase may not have file") {
				t.Errorf("%s, dialect %s: %v", name, dialect, err)
			}
		}
	}
}

// xsd is the subset of XML Schema that junit.xsd uses: the allowed and required attributes and children of an element,
// and the order of the children.
type xsd map[string]xsdElement

type xsdElement struct {
	Name       string         `xml:"name,attr"`
	Attributes []xsdAttribute `xml:"complexType>attribute"`
	Children   []struct {
		Ref string `xml:"ref,attr"`
		Max string `xml:"maxOccurs,attr"`
	} `xml:"complexType>sequence>element"`
}

type xsdAttribute struct {
	Name string `xml:"name,attr"`
	Use  string `xml:"use,attr"`
}

func readXSD(t *testing.T, text []byte) xsd {
	t.Helper()
	var file struct {
		Elements []xsdElement `xml:"element"`
	}
	if err := xml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	schema := xsd{}
	for _, e := range file.Elements {
		schema[e.Name] = e
	}
	return schema
}

type xmlNode struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []xmlNode  `xml:",any"`
}

func (x xsd) check(text []byte) error {
	var root xmlNode
	d := xml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&root); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		if token, err := d.Token(); err == nil {
			return fmt.Errorf("text behind the report: %v", token)
		}
	}
	return x.node(&root)
}

func (x xsd) node(n *xmlNode) error {
	e, ok := x[n.XMLName.Local]
	if !ok {
		return fmt.Errorf("no element %s", n.XMLName.Local)
	}
	for _, a := range n.Attrs {
		if !slices.ContainsFunc(e.Attributes, func(known xsdAttribute) bool { return known.Name == a.Name.Local }) {
			return fmt.Errorf("%s may not have %s", e.Name, a.Name.Local)
		}
	}
	for _, known := range e.Attributes {
		if known.Use == "required" && !slices.ContainsFunc(n.Attrs,
			func(a xml.Attr) bool { return a.Name.Local == known.Name }) {
			return fmt.Errorf("%s needs %s", e.Name, known.Name)
		}
	}
	at, count := 0, 0
	for i := range n.Children {
		child := &n.Children[i]
		for at < len(e.Children) && e.Children[at].Ref != child.XMLName.Local {
			at, count = at+1, 0
		}
		if count++; at == len(e.Children) || count > 1 && e.Children[at].Max != "unbounded" {
			return fmt.Errorf("%s may not hold %s here", e.Name, child.XMLName.Local)
		}
		if err := x.node(child); err != nil {
			return err
		}
	}
	return nil
}
