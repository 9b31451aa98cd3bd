package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the pictures and the generated parts of the documentation")

// palette are the colors of a terminal, by the names of styles. The style "text" is that of text without one.
type palette struct {
	background, frame string
	color             map[string]string
}

var palettes = map[string]palette{
	"light": {"#f6f8fa", "#d0d7de", map[string]string{
		"text": "#1f2328", "red": "#cf222e", "yellow": "#9a6700", "blue": "#0969da", "dim": "#6e7781"}},
	"dark": {"#0d1117", "#30363d", map[string]string{
		"text": "#e6edf3", "red": "#ff7b72", "yellow": "#d29922", "blue": "#79c0ff", "dim": "#8b949e"}},
}

// The picture in the README is what the program prints on a terminal.
func TestThePictureOfATerminalIsARealRun(t *testing.T) {
	dir := t.TempDir()
	demo := readFile(t, filepath.Join(repository, "testdata", "demo", "web.yaml"))
	writeFile(t, filepath.Join(dir, "web.yaml"), demo, 0o644)
	c := exec.Command(filepath.Join(installed, "kindvet"), "validate", "--color", "always", "web.yaml")
	c.Dir = dir
	out, code := call(t, c)
	if code != violations {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	lines := styled("\x1b[2m$\x1b[0m kindvet validate web.yaml\n" + out)
	for name, p := range palettes {
		golden(t, filepath.Join("docs", "images", "terminal-"+name+".svg"), terminal(lines, p))
	}
}

// golden compares a file of the repository with its contents, or writes it.
func golden(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join(repository, name)
	if *update {
		writeFile(t, path, want, 0o644)
		return
	}
	if have, _ := os.ReadFile(path); string(have) != want {
		t.Errorf("%s is out of date; run 'go test ./cmd/kindvet -update'", filepath.ToSlash(name))
	}
}

// styledText is text in one style.
type styledText struct {
	text        string
	color       string // empty for that of the terminal
	bold, faint bool
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// styled reads text with the escape sequences that set colors, line by line.
func styled(text string) [][]styledText {
	var lines [][]styledText
	var style styledText
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		var runs []styledText
		add := func(s string) {
			if s != "" {
				style.text = s
				runs = append(runs, style)
			}
		}
		at := 0
		for _, m := range sgr.FindAllStringSubmatchIndex(line, -1) {
			add(line[at:m[0]])
			for code := range strings.SplitSeq(line[m[2]:m[3]], ";") {
				style = style.with(code)
			}
			at = m[1]
		}
		add(line[at:])
		lines = append(lines, runs)
	}
	return lines
}

// with is the style after an escape sequence.
func (s styledText) with(code string) styledText {
	switch code {
	case "", "0":
		return styledText{}
	case "1":
		s.bold = true
	case "2":
		s.faint = true
	case "22":
		s.bold, s.faint = false, false
	case "31":
		s.color = "red"
	case "33":
		s.color = "yellow"
	case "34":
		s.color = "blue"
	}
	return s
}

func (s styledText) class() string {
	var names []string
	if s.bold {
		names = append(names, "bold")
	}
	switch {
	case s.faint:
		names = append(names, "dim")
	case s.color != "":
		names = append(names, s.color)
	}
	return strings.Join(names, " ")
}

// The size of a character, and the space around the text, in pixels.
const (
	charWidth, lineHeight = 7.2, 17
	padding               = 16
)

// terminal returns a picture of lines as a terminal shows them.
func terminal(lines [][]styledText, p palette) string {
	var b strings.Builder
	columns := 0
	for i, line := range lines {
		width := 0
		fmt.Fprintf(&b, `<text x="%d" y="%d">`, padding, padding+12+i*lineHeight)
		for _, s := range line {
			width += len([]rune(s.text))
			if class := s.class(); class != "" {
				fmt.Fprintf(&b, `<tspan class="%s">%s</tspan>`, class, html.EscapeString(s.text))
			} else {
				b.WriteString(html.EscapeString(s.text))
			}
		}
		b.WriteString("</text>\n")
		columns = max(columns, width)
	}
	width, height := int(float64(columns)*charWidth)+2*padding, len(lines)*lineHeight+2*padding
	var style strings.Builder
	for _, name := range []string{"red", "yellow", "blue", "dim"} {
		fmt.Fprintf(&style, ".%s{fill:%s}", name, p.color[name])
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d"
viewBox="0 0 %[1]d %[2]d" role="img">
<title>kindvet in a terminal</title>
<style>
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:%[3]s;white-space:pre}
.bold{font-weight:600}%[4]s
</style>
<rect x=".5" y=".5" width="%[5]d" height="%[6]d" rx="8" fill="%[7]s" stroke="%[8]s"/>
%[9]s</svg>
`, width, height, p.color["text"], style.String(), width-1, height-1, p.background, p.frame, b.String())
}
