package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// figures are the seconds in a column of the table in docs/performance.md, by work and tool.
type figures map[string]map[string]figure

// figure is a number of seconds, as it is written and as a value.
type figure struct {
	text    string
	seconds float64
}

// The works that the chart shows, and their names in it.
var charted = [][2]string{
	{"1,000 files with CEL rules, 5% invalid", "1,000 files, CEL rules"},
	{"the same documents in 10,000 files", "10,000 Deployments and Services"},
	{"50 MB stream of 83,000 documents, no CEL rules", "50 MB stream"},
}

var tools = []string{"kindvet", "kubeconform", "kubectl-validate"}

func TestTheChartIsThatOfTheBenchmarksFigures(t *testing.T) {
	cpu := benchmarks(t, 2)
	golden(t, filepath.Join("docs", "images", "performance.svg"), chart(t, cpu))
	section(t, "README.md", "figures",
		fmt.Sprintf("CPU time: %s s for one small file, %s s for 1,000 files with CEL rules "+
			"(kubeconform, which evaluates none:\n%s s; kubectl-validate: %s s), and %s s for a stream of 50 MB.\n",
			cpu.of(t, "one small file, cold", "kindvet").text, cpu.of(t, charted[0][0], "kindvet").text,
			cpu.of(t, charted[0][0], "kubeconform").text, cpu.of(t, charted[0][0], "kubectl-validate").text,
			cpu.of(t, charted[2][0], "kindvet").text))
	wall := benchmarks(t, 3)
	if lint := wall.of(t, "10,000 files with CEL rules, 5% invalid", "kindvet, with lint rules"); lint.seconds >= 1 {
		t.Errorf("10,000 files take %s s, but less than a second in the README", lint.text)
	}
}

func (f figures) of(t *testing.T, work, tool string) figure {
	t.Helper()
	have, ok := f[work][tool]
	if !ok {
		t.Fatalf("docs/performance.md has no figure for %q of %s", work, tool)
	}
	return have
}

// benchmarks reads a column of the table in docs/performance.md. A row without a work belongs to that of the row
// above, and a tool may have a note in parentheses.
func benchmarks(t *testing.T, column int) figures {
	t.Helper()
	found := figures{}
	work := ""
	for line := range strings.Lines(readFile(t, filepath.Join(repository, "docs", "performance.md"))) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] != "" {
			work = cells[0]
		}
		tool, _, _ := strings.Cut(cells[1], " (")
		seconds, err := strconv.ParseFloat(cells[column], 64)
		if err != nil {
			continue // the heading
		}
		if found[work] == nil {
			found[work] = map[string]figure{}
		}
		found[work][tool] = figure{cells[column], seconds}
	}
	return found
}

// section compares the part of a page between the comments that name it, or writes it.
func section(t *testing.T, page, name, want string) {
	t.Helper()
	text := readFile(t, filepath.Join(repository, page))
	before, rest, ok := strings.Cut(text, "<!-- "+name+": ")
	command, rest, ok2 := strings.Cut(rest, " -->\n")
	_, after, ok3 := strings.Cut(rest, "<!-- end of "+name+" -->")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("%s has no section %q", page, name)
	}
	golden(t, page, before+"<!-- "+name+": "+command+" -->\n"+want+"<!-- end of "+name+" -->"+after)
}

// The sizes of the chart in pixels.
const (
	chartWidth, barLeft, barMost = 830, 150, 560
	barHeight, groupSpace        = 16, 34
)

// chart returns a bar for each tool and work. The bars of a work are in proportion to each other.
func chart(t *testing.T, cpu figures) string {
	var b strings.Builder
	y := 12
	for _, work := range charted {
		most := 0.0
		for _, tool := range tools {
			most = max(most, cpu.of(t, work[0], tool).seconds)
		}
		y += 14
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" class=\"work\">%s</text>\n", barLeft, y, work[1])
		y += 8
		for _, tool := range tools {
			have := cpu.of(t, work[0], tool)
			width := max(have.seconds/most*barMost, 1)
			class := "other"
			if tool == "kindvet" {
				class = "kindvet"
			}
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" class=\"tool\">%s</text>", barLeft-8, y+12, tool)
			fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" class=\"%s\"/>",
				barLeft, y, width, barHeight-4, class)
			fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\">%s s</text>\n", barLeft+width+6, y+11, have.text)
			y += barHeight
		}
		y += groupSpace - 22
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d"
viewBox="0 0 %[1]d %[2]d" role="img">
<title>CPU time of kindvet, kubeconform and kubectl-validate; shorter is better</title>
<style>
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.work{font-weight:600}.tool{text-anchor:end;fill:#59636e}
.kindvet{fill:#1f883d}.other{fill:#afb8c1}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.tool{fill:#9198a1}.kindvet{fill:#3fb950}.other{fill:#484f58}}
</style>
%[3]s</svg>
`, chartWidth, y, b.String())
}
