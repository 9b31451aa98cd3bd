package workspace

import (
	"context"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/settings"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/disk"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

// The CRDs of the first files are kept. The order in which files are read does not matter.
func TestTheCRDsThatAreKeptAreThoseOfTheFirstFiles(t *testing.T) {
	third := int(disk.Schemas.Limit()) / 3
	sizes := []int{third, third, third, 1 + int(disk.Schemas.Limit())%3, 1, 1}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 5, 0, 4, 2, 1}} {
		d := discovery{found: map[int]sized{}, end: len(sizes)}
		for _, i := range order {
			d.add(i, catalog.Source{}, sizes[i])
		}
		var kept []int
		for i := range sizes {
			if _, ok := d.found[i]; ok {
				kept = append(kept, i)
			}
		}
		if !slices.Equal(kept, []int{0, 1, 2}) || d.end != 3 {
			t.Errorf("%v: kept %v, end %d", order, kept, d.end)
		}
	}
}

func TestALongStreamIsNotSearchedAndTheReportStatesIt(t *testing.T) {
	const unknown = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n"
	const known = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: a}\n"
	for _, c := range []struct {
		document   string
		size, want int
	}{{unknown, maxSearched, 0}, {unknown, maxSearched + 1, 1}, {known, maxSearched + 1, 0}} {
		size, want := c.size-len(c.document), c.want
		text := c.document + strings.Repeat("#"+strings.Repeat("x", 1022)+"\n", size/1024) + strings.Repeat("#", size%1024)
		result, err := runHere(context.Background(), Options{
			Files: find.Options{Paths: []string{"-"},
				NoConfig: true},
			Stdin: io.MultiReader(strings.NewReader(text)), Settings: settings.Options{Lint: rule.Options{Profile: "schema"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		have := result.Report.Violations
		if len(have) != want || want > 0 && (have[0].Rule != diag.ReaderLimit || have[0].Severity != diag.Info) {
			t.Errorf("%d bytes: have %v, want %d", len(text), have, want)
		}
	}
}
