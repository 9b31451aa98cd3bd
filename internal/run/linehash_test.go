package run

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// A file and standard input have line hashes up to the limit. Above it, the report states that there are none.
func TestLineHashesHaveALimit(t *testing.T) {
	const text = "a: 1\nb: 2\n"
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []find.File{{Name: "a.yaml", Abs: file}, {Name: "<stdin>", IsStdin: true}} {
		for most, isHashed := range map[int64]bool{int64(len(text)): true, int64(len(text)) - 1: false} {
			o := Options{LineHashes: true, Stdin: strings.NewReader(text)}
			stdin := o.keepStdin(most)
			if read, err := io.ReadAll(o.Stdin); string(read) != text || err != nil {
				t.Fatalf("have %q, %v", read, err)
			}
			at := strings.Index(text, "\n") + 1
			r := diag.Report{
				Violations: []diag.Violation{
					{Place: (&source.Source{Name: f.Name, Text: text}).Place(source.Span{Start: at, End: at})},
				},
			}
			addLineHashes(&r, &find.Found{Files: []find.File{f}, Tree: find.Disk{}}, stdin)
			last := &r.Violations[len(r.Violations)-1]
			if have := last.LineHash != ""; have != isHashed {
				t.Errorf("%s, limit %d: hash %q", f.Name, most, last.LineHash)
			}
			if said := len(r.Violations) == 2 && r.Violations[0].Rule == diag.ReaderLimit &&
				r.Summary.Infos == 1; said == isHashed {
				t.Errorf("%s, limit %d: have %v", f.Name, most, r.Violations)
			}
			if isHashed != (stdin.text.Len() == len(text)) {
				t.Errorf("limit %d: %d bytes are kept", most, stdin.text.Len())
			}
		}
	}
}
