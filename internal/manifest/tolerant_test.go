package manifest

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

var update = flag.Bool("update", false, "write what is kept into testdata/tolerant")

// cursorMark marks the cursor in the texts of testdata/tolerant. It is not part of the text.
const cursorMark = "‸"

// withCursor removes the cursor mark from a text and returns its offset, or -1 if there is none.
func withCursor(text string) (string, int) {
	before, after, found := strings.Cut(text, cursorMark)
	if !found {
		return text, -1
	}
	return before + after, len(before)
}

// kept lists the leaves of a tree with the text at their places.
func kept(t *Tree) string {
	var b strings.Builder
	for i := range t.nodes {
		n := Node{t, int32(i)}
		if n.Len() > 0 {
			continue
		}
		fmt.Fprintf(&b, "%s = %s", n.Path(), n.AppendJSON(nil))
		isBlock := n.Style() == Literal || n.Style() == Folded
		if raw := n.Raw(); n.Type() == String && !isBlock && strings.Trim(raw, `'"`) != n.Text() {
			fmt.Fprintf(&b, " from %q", raw)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// readTolerant reads the first document of a file.
func readTolerant(name, text string, cursor int) (*Tree, []diag.Violation) {
	s := &source.Source{Name: name, Text: text}
	t := &Tree{}
	for p := range Parts(s) {
		return t, t.ReadTolerant(s, p, cursor)
	}
	return t, nil
}

// Each file of testdata/tolerant contains a text, with or without a cursor, and the part of it that must be kept.
func TestTheUsablePartOfABrokenTextIsKept(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "tolerant", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := false
		for i := 0; i+1 < len(archive.Files); i += 2 {
			in, want := archive.Files[i], &archive.Files[i+1]
			text, cursor := withCursor(string(in.Data))
			tree, findings := readTolerant(in.Name, text, cursor)
			if len(findings) != 1 || findings[0].Rule != diag.Syntax {
				t.Errorf("%s: %s: want one syntax error, got %v", file, in.Name, findings)
			}
			checkPlaces(t, tree, text)
			if have := kept(tree); have != string(want.Data) {
				if *update {
					want.Data, changed = []byte(have), true
					continue
				}
				t.Errorf("%s: %s: have\n%swant\n%s", file, in.Name, have, want.Data)
			}
		}
		if changed {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// While a line is typed, the text has a prefix of that line, and all other lines are complete.
func TestTheOtherLinesAreKeptWhileALineIsTyped(t *testing.T) {
	broken := 0
	for _, s := range sources(t, "testdata/demo") {
		if path.Base(s.Name) == "web.yaml" {
			continue // without the line "metadata:" of its pod template, the fields of the template have two indentations
		}
		for start := 0; start < len(s.Text); start += lineLength(s.Text[start:]) {
			end := lineEnd(s.Text, start)
			if strings.HasPrefix(s.Text[start:], separator) {
				continue // two documents become one
			}
			for cut := start; cut < end; cut++ {
				for _, cursor := range []int{cut, -1} {
					broken += checkOtherLines(t, s, source.Span{Start: start, End: end}, cut, cursor)
				}
			}
		}
	}
	if broken < 500 {
		t.Errorf("only %d texts have a syntax error", broken)
	}
}

// checkOtherLines cuts a line short and returns the number of documents that have a syntax error as a result.
func checkOtherLines(t *testing.T, s *source.Source, line source.Span, cut, cursor int) (broken int) {
	text := s.Text[:cut] + s.Text[line.End:]
	typed := &source.Source{Name: s.Name, Text: text}
	for p := range Parts(typed) {
		tree, original := &Tree{}, &Tree{}
		findings := tree.ReadTolerant(typed, p, cursor)
		checkPlaces(t, tree, text)
		if len(findings) == 0 || findings[0].Rule != diag.Syntax {
			continue
		}
		broken++
		p.Span.End += line.End - cut
		if findings := original.Read(s, p); len(findings) > 0 {
			t.Fatalf("%s: %v", s.Name, findings)
		}
		have := leaves(tree, source.Span{})
		for path, value := range leaves(original, line) {
			if have[path] != value {
				t.Errorf("%s: %q, cursor %d: %s is %q, want %q", s.Name, s.Text[line.Start:cut], cursor, path, have[path], value)
			}
		}
	}
	return broken
}

// leaves returns the leaves of a tree by path, except those on a line and those below a key or a dash on that line.
func leaves(t *Tree, line source.Span) map[string]string {
	values := map[string]string{}
	for i := range t.nodes {
		n := Node{t, int32(i)}
		isElsewhere := true
		for a := n; a.Parent().Valid(); a = a.Parent() {
			at := a.Span().Start
			if key := a.KeySpan(); key.End > 0 {
				at = key.Start
			}
			isElsewhere = isElsewhere && (at < line.Start || line.End <= at)
		}
		if n.Len() == 0 && isElsewhere {
			values[n.Path().String()] = string(n.AppendJSON(nil))
		}
	}
	return values
}

// The amount of work is bounded for every text.
func TestATolerantReadingIsLinear(t *testing.T) {
	deep := &strings.Builder{}
	for i := range 400 {
		fmt.Fprintf(deep, "%s- a:\n", strings.Repeat(" ", 2*i))
	}
	for name, text := range map[string]string{
		"words":    strings.Repeat("word\na: 1\n", 20_000),
		"colons":   strings.Repeat("a: b: c\n", 20_000),
		"quotes":   strings.Repeat("a: \"\n", 20_000),
		"deep":     deep.String() + "@",
		"dashes":   strings.Repeat("- ", 5_000) + "@",
		"aliases":  strings.Repeat("a: *b\n", 20_000),
		"brackets": strings.Repeat("[", 9_000) + "@",
		"JSON":     `{"a": ` + strings.Repeat(`[1 2, {"a" "b": `, 4_000),
		"commas":   `{"a": [` + strings.Repeat("x,", 50_000),
	} {
		started := time.Now()
		tree, findings := readTolerant("a.yaml", text, len(text)/2)
		if len(findings) == 0 {
			t.Errorf("%s: want a syntax error", name)
		}
		checkPlaces(t, tree, text)
		if spent := time.Since(started); spent > 20*time.Second {
			t.Errorf("%s: %v", name, spent)
		}
	}
}

// For any text and any cursor, all nodes of the tree are within the text, and NodeAt accepts every offset.
func FuzzTolerantReader(f *testing.F) {
	for _, s := range sources(f, "testdata/syntax", "testdata/demo") {
		f.Add(s.Text, len(s.Text)/2)
	}
	files, _ := filepath.Glob(filepath.Join("testdata", "tolerant", "*.txtar"))
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range archive.Files {
			text, cursor := withCursor(string(c.Data))
			f.Add(text, cursor)
		}
	}
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		if len(text) > 1<<14 {
			return
		}
		for _, name := range []string{"a.yaml", "a.json"} {
			s := &source.Source{Name: name, Text: text}
			tree, strict := &Tree{}, &Tree{}
			for p := range Parts(s) {
				findings := tree.ReadTolerant(s, p, cursor)
				if want := strict.Read(s, p); fmt.Sprint(findings) != fmt.Sprint(want) {
					t.Fatalf("%q: findings are %v, and %v if nothing is tolerated", text, findings, want)
				}
				if tree.Source != s {
					t.Fatalf("%q: the source is another", text)
				}
				checkPlaces(t, tree, text)
				if len(tree.nodes) > 0 {
					kept(tree)
				}
				tree.NodeAt(cursor)
			}
		}
	})
}
