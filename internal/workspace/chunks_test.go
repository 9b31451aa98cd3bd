package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/find"
)

// The size of the chunks of a stream does not change the report: it has the same violations, places and documents.
func TestChunksOfAStreamGiveTheReportOfTheWhole(t *testing.T) {
	const browser = "apiVersion: agentcorecontrol.services.platform.cloud/v1alpha1\nkind: Browser\nmetadata:\n  name: b\nspec:\n  nam: b\n"
	for name, text := range map[string]string{
		"documents":           browser + "---\n" + browser + "---\n" + browser,
		"empty documents":     "---\n---\n# nothing\n---\n" + browser + "---\n\n---\n" + browser + "---",
		"carriage returns":    strings.ReplaceAll(browser+"--- # next\n"+browser+"---\n"+browser, "\n", "\r\n"),
		"text after dashes":   browser + "--- text\n" + browser + "----\n" + browser,
		"a broken document":   browser + "---\na: [\n---\n" + browser,
		"a mark in a text":    browser + "  text: |\n    a\n    ---\n    b\n---\n" + browser,
		"JSON":                strings.Repeat("{\"apiVersion\": \"v1\",\n\"kind\": 1}\n", 5),
		"JSON in a stream":    browser + "---\n{\"kind\": 1}\n---\n{\"kind\": 2}\n---\n" + browser,
		"a byte order mark":   "\ufeff---\n" + browser + "---\n" + browser,
		"no end of line":      browser + "---\n" + strings.TrimSuffix(browser, "\n"),
		"nothing but a mark":  "---",
		"dashes in a line":    "a: b---\n---\nb: c---\n---\n" + browser,
		"marks without lines": "---\n---\n---\n---\n---\n---\n---\n---\n",
	} {
		path := filepath.Join(t.TempDir(), "stream.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		checkIn := func(size, jobs int) Result {
			engine := check.New(check.Options{Catalog: catalog.Embedded(), Objects: true})
			c := planIn(find.Disk{}, jobs).pool(map[*find.Config]*check.Engine{nil: engine})
			c.chunkSize = size
			return gather(c.check(context.Background(), unitsOf([]find.File{{Name: path, Abs: path}})))
		}
		whole := checkIn(len(text)+1, 1)
		for size := 1; size <= len(text); size += 1 + size/16 {
			if cut := checkIn(size, 1+size%3); !reflect.DeepEqual(cut, whole) {
				t.Errorf("%s, %d bytes at once:\n have %+v\n want %+v", name, size, cut, whole)
				break
			}
		}
	}
}

// planIn returns a plan without units in a tree.
func planIn(tree find.Tree, jobs int) *plan {
	return &plan{options: &Options{Jobs: jobs}, found: &find.Found{Tree: tree}}
}

// gather combines the results of files into the result of a run.
func gather(results [][]*check.Result, failures []error) Result {
	r := Result{Failures: failures}
	r.Transitions = check.AddTo(&r.Report, results)
	return r
}

// If the size of a file is known, a long document is read into memory of its size at once, and a longer file in steps.
func TestChunksOfAKnownSizeAreReadAtOnce(t *testing.T) {
	for _, c := range []struct{ size, total, want int }{
		{1000, 1000, 1001}, {1000, 900, 901}, {1000, 0, 16}, {1000, mostAtOnce, mostAtOnce + 1}, {1000, mostAtOnce + 1, 17},
	} {
		text := "a: " + strings.Repeat("b", c.size-3)
		p := newChunks("long.yaml", []byte(text[:8]), strings.NewReader(text[8:]), nil)
		p.total = c.total
		if have := len(p.newMemory()); have != c.want {
			t.Errorf("%d bytes, expected %d: have memory of %d bytes, want %d", c.size, c.total, have, c.want)
		}
		next, _, err := p.next()
		if err != nil || next.Text != text {
			t.Errorf("%d bytes, expected %d: have %d bytes, %v", c.size, c.total, len(next.Text), err)
		}
	}
}

// A chunk with a document that is too long contains the part that was read, so the document can be reported. The
// documents after it are complete.
func TestChunksSkipTheRestOfADocumentThatIsTooLong(t *testing.T) {
	text := "a: 1\n---\n" + strings.Repeat("b: ---\n", 100) + "---\nc: 1\n"
	p := newChunks("long.yaml", []byte(text[:8]), strings.NewReader(text[8:]), nil)
	p.limit = 50
	var have []string
	src, _, err := p.next()
	for ; err == nil; src, _, err = p.next() {
		have = append(have, fmt.Sprintf("%d %d %s", src.FirstLine, len(src.Text), strings.Trim(src.Text, "-\n")[:4]))
	}
	want := []string{"1 5 a: 1", "2 64 b: -", "103 9 c: 1"}
	if err != io.EOF || !slices.Equal(have, want) {
		t.Errorf("have %q, %v\nwant %q", have, err, want)
	}
}
