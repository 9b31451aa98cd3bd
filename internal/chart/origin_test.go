package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/kindvet/kindvet/internal/chart/engine"
	"github.com/kindvet/kindvet/internal/source"
)

// pack returns an archive of a chart.
func pack(t *testing.T, name string, files []File) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	w := tar.NewWriter(zipped)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{
			Name: name + "/" + f.Name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(f.Text)),
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.Text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// Each literal line of the templates gets a mark at its end. An engine that records nothing renders them. In its
// output, the mark at the end of a line says where the line was written, which must be where the recording engine
// says.
func TestPlacesAreThoseOfMarks(t *testing.T) {
	files := readChart(t, filepath.Join("testdata", "all"))
	right, wrong := comparePlaces(t, files, Options{Kubernetes: 34})
	if len(wrong) > 0 || right < 60 {
		t.Errorf("%d of %d lines have another place: %v", len(wrong), right+len(wrong), wrong)
	}
}

var markAtEnd = regexp.MustCompile(` #mk([0-9]+)_([0-9]+)$`)

func comparePlaces(t *testing.T, files []File, o Options) (right int, wrong []string) {
	var marked []File
	for i, f := range files {
		if strings.Contains(f.Name, templatesDir) {
			f.Text = markLines(f.Text, i)
		}
		marked = append(marked, f)
	}
	want := renderPlainly(t, marked, o)
	for _, output := range Render("chart", files, o).Outputs {
		lines := strings.Split(output.Source.Text, "\n")
		markedLines := strings.Split(want[output.Name], "\n")
		if len(lines) != len(markedLines) {
			t.Logf("%s: the marks change the number of lines", output.Name)
			continue
		}
		at := 0
		for i, line := range lines {
			if m := markAtEnd.FindStringSubmatch(markedLines[i]); m != nil {
				number, _ := strconv.Atoi(m[1])
				origin := output.Source.Written(source.Span{Start: at + len(line) - 1, End: at + len(line)})
				have := fmt.Sprintf("%s:%d", origin.Source.Name, origin.Source.Position(origin.Span.Start).Line)
				if want := fmt.Sprintf("chart/%s:%s", files[number].Name, m[2]); have != want {
					wrong = append(wrong, fmt.Sprintf("%s:%d: have %s, want %s", output.Name, i+1, have, want))
				} else {
					right++
				}
			}
			at += len(line) + 1
		}
	}
	return right, wrong
}

// markLines adds marks to the lines without actions. Lines that continue an action have none.
func markLines(text string, file int) string {
	lines, isOpen := strings.Split(text, "\n"), false
	for i, line := range lines {
		opened, closed := strings.LastIndex(line, "{{"), strings.LastIndex(line, "}}")
		if !isOpen && opened < 0 && closed < 0 && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "---") {
			lines[i] = strings.TrimRight(line, " \r") + fmt.Sprintf(" #mk%d_%d", file, i+1)
		}
		if opened != closed {
			isOpen = opened > closed
		}
	}
	return strings.Join(lines, "\n")
}

// renderPlainly renders a chart with templates that record nothing.
func renderPlainly(t *testing.T, files []File, o Options) map[string]string {
	t.Helper()
	c, err := load("chart", files)
	if err != nil {
		t.Fatal(err)
	}
	values, err := c.effective(o.Values)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]engine.Template{}
	c.scopes(map[string]any{
		"Values": values, "Capabilities": engine.NewCapabilities(o.Kubernetes, nil), "Release": o.release(&Metadata{Name: "a"}),
	}, list)
	root := template.New("gotpl").Option("missingkey=zero").Funcs(engine.Functions())
	plainly(root)
	for _, name := range engine.NamesInOrder(list) {
		if _, err := root.New(name).Parse(list[name].File.Source.Text); err != nil {
			t.Fatal(err)
		}
	}
	outputs := map[string]string{}
	for _, name := range engine.NamesInOrder(list) { // templates may change the values
		s := list[name]
		var text strings.Builder
		s.Scope["Template"] = map[string]any{"Name": name, "BasePath": s.Base}
		if err := root.ExecuteTemplate(&text, name, s.Scope); err != nil {
			t.Fatal(err)
		}
		outputs[name] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return outputs
}

// plainly adds include and tpl.
func plainly(t *template.Template) {
	t.Funcs(template.FuncMap{
		"required": func(_ string, value any) any { return value },
		"fail":     func(message string) (string, error) { return "", errors.New(message) },
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := t.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"tpl": func(text string, data any) (string, error) {
			clone, err := t.Clone()
			if err != nil {
				return "", err
			}
			plainly(clone.Option("missingkey=zero"))
			if clone, err = clone.New("gotpl").Parse(text); err != nil {
				return "", err
			}
			var out strings.Builder
			err = clone.Execute(&out, data)
			return strings.ReplaceAll(out.String(), "<no value>", ""), err
		},
	})
}
