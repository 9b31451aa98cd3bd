package report

import (
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/source"
)

// The findings of a file that cannot be read again have no line hashes, and the report states that.
func TestAFileThatIsNotReadAgainHasNoLineHashes(t *testing.T) {
	const text = "a: 1\nb: 2\n"
	for _, isRead := range []bool{true, false} {
		at := strings.Index(text, "\n") + 1
		d := &Draft{
			Options: Options{LineHashes: true}, Read: []*find.File{{Name: "a.yaml"}},
			Text: func(f *find.File, most int64) (string, bool) {
				if most != MaxHashed {
					t.Errorf("the limit is %d", most)
				}
				return text, isRead
			},
		}
		d.Report.Violations = []diag.Violation{
			{Place: (&source.Source{Name: "a.yaml", Text: text}).Place(source.Span{Start: at, End: at})},
		}
		d.hashLines()
		if have := d.Report.Violations[0].LineHash != ""; have != isRead {
			t.Errorf("hash %q", d.Report.Violations[0].LineHash)
		}
		if said := len(d.Report.Violations) == 2 && d.Report.Violations[1].Rule == diag.ReaderLimit &&
			d.Report.Summary.Infos == 1; said == isRead {
			t.Errorf("have %v", d.Report.Violations)
		}
	}
}
