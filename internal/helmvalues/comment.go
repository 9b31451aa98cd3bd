package helmvalues

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/manifest"
)

// commentsOf returns the descriptions of values in the comments of values.yaml, by path: those of helm-docs, which follow "# --"
// above a key, and those of Bitnami, which follow "@param" and the path.
func commentsOf(root manifest.Node) map[string]string {
	found := map[string]string{}
	text := root.Tree().Source.Text
	for line := range strings.Lines(text) {
		if m := parameter().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			found[m[1]] = m[2]
		}
	}
	addComments(found, root, nil)
	return found
}

var parameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^#+\s*@param\s+(\S+)\s+(?:\[[^\]]*\]\s*)?(\S.*)$`)
})

// helmDocs begins a comment of helm-docs. A type may follow it in parentheses.
var helmDocs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#\s*--\s*(?:\([^)]*\)\s*)?(.*)$`) })

func addComments(found map[string]string, n manifest.Node, path []string) {
	if n.Type() != manifest.Map || len(path) > maxNesting {
		return
	}
	src := n.Tree().Source
	for f := range n.Children() {
		below := append(path[:len(path):len(path)], f.Key())
		var lines []string
		for at := src.Line(f.KeySpan().Start).Start; at > 0; {
			line := src.Line(at - 1)
			comment := strings.TrimSpace(src.Text[line.Start:line.End])
			if !strings.HasPrefix(comment, "#") || len(lines) == maxCommentLines {
				break
			}
			if m := helmDocs().FindStringSubmatch(comment); m != nil {
				lines = append([]string{m[1]}, lines...)
				found[strings.Join(below, ".")] = strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
				break
			}
			if text := strings.TrimSpace(strings.TrimPrefix(comment, "#")); !strings.HasPrefix(text, "@") {
				lines = append([]string{text}, lines...)
			}
			at = line.Start
		}
		addComments(found, f, below)
	}
}

// Limits of comments: lines of one, and maps in each other.
const (
	maxCommentLines = 30
	maxNesting      = 100
)
