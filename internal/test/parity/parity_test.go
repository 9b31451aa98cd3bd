package parity

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
)

var root = filepath.Join("..", "..", "..")

// For every recorded case, our verdict is the same as that of upstream's code, with the same causes.
func TestVerdictsAreThoseOfUpstreamsCode(t *testing.T) {
	cases, err := Cases(root)
	if err != nil {
		t.Fatal(err)
	}
	registries := map[string]*catalog.Catalog{}
	refused, exceptions, different := 0, 0, 0
	for _, c := range cases {
		r, ok := registries[c.Schema]
		if !ok {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.Schema)))
			if err != nil {
				t.Fatal(err)
			}
			r, _ = Registry(string(text))
			registries[c.Schema] = r
		}
		if !c.Verdict.Accepted {
			refused++
		}
		if c.Exception != "" {
			exceptions++
		}
		ours := Check(r, c.Request)
		for i := range ours {
			if ours[i].Rule != diag.CEL && !diag.FitsMessage(ours[i].Message) { // the author of a CEL rule words its message
				t.Errorf("%s: a message of more than %d characters: %s", c.Name, diag.LongestMessage, ours[i].Message)
			}
		}
		if diffs := Differences(c.Verdict, ours); len(diffs) > 0 {
			different++
			if different <= 20 {
				t.Errorf("%s %s: %s: %v\nnew: %sold: %scauses %v", c.Schema, c.Version, c.Name, diffs, c.New, c.Old,
					c.Verdict.Causes)
			}
		}
	}
	t.Logf("%d cases, %d of them rejected, %d of a documented exception: %d differences", len(cases), refused,
		exceptions, different)
	claimed(t, "holds ", len(cases), " requests")
	claimed(t, "upstream's verdict: ", refused, " are rejected")
	claimed(t, "rejected, ", exceptions, " fall under the first two exceptions")
}

// claimed fails unless the page about the verdict states this figure.
func claimed(t *testing.T, before string, figure int, after string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "verdict.md"))
	if err != nil {
		t.Fatal(err)
	}
	written := strconv.Itoa(figure)
	if figure >= 1000 {
		written = fmt.Sprintf("%d,%03d", figure/1000, figure%1000)
	}
	if claim := before + written + after; !strings.Contains(strings.Join(strings.Fields(string(text)), " "), claim) {
		t.Errorf("docs/verdict.md does not say %q", claim)
	}
}
