package cli

import (
	"strings"
	"unicode/utf8"
)

// pageWidth is the maximum width of help and explain pages, in columns.
const pageWidth = 100

// wrapParagraphs wraps the paragraphs of a text to lines of at most width columns. Indented lines, such as examples,
// are not changed.
func wrapParagraphs(text string, width int) string {
	var lines []string
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			lines = append(lines, "")
		}
		var flowing []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
				flowing = append(flowing, line)
				continue
			}
			lines = append(append(lines, wrap(strings.Join(flowing, " "), width)...), line)
			flowing = nil
		}
		lines = append(lines, wrap(strings.Join(flowing, " "), width)...)
	}
	return strings.Join(lines, "\n")
}

// wrap breaks a text at spaces into lines of at most width columns. A longer word gets its own line.
func wrap(text string, width int) []string {
	var lines []string
	line, columns := "", 0
	for _, word := range strings.Fields(text) {
		size := utf8.RuneCountInString(word)
		if line != "" && columns+1+size > width {
			lines = append(lines, line)
			line, columns = "", 0
		}
		if line != "" {
			line += " "
			columns++
		}
		line += word
		columns += size
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
