package parity

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/kinds"
)

// Every recorded case gets from us the verdict that upstream's code gave it, for the same causes.
func TestVerdictsAreThoseOfUpstreamsCode(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(root, "testdata", "oracle", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	registries := map[string]*kinds.Registry{}
	compared, refused, exceptions, different := 0, 0, 0, 0
	for _, file := range files {
		for _, c := range readCases(t, file) {
			r, ok := registries[c.Schema]
			if !ok {
				text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.Schema)))
				if err != nil {
					t.Fatal(err)
				}
				r, _ = Registry(string(text))
				registries[c.Schema] = r
			}
			compared++
			if !c.Verdict.Accepted {
				refused++
			}
			if c.Exception != "" {
				exceptions++
			}
			if diffs := Differences(c.Verdict, Check(r, c.Request)); len(diffs) > 0 {
				different++
				if different <= 20 {
					t.Errorf("%s %s: %s: %v\nnew: %sold: %scauses %v", c.Schema, c.Version, c.Name, diffs, c.New, c.Old, c.Verdict.Causes)
				}
			}
		}
	}
	t.Logf("%d cases, %d of them refused, %d of a documented exception: %d differences", compared, refused, exceptions, different)
	claimed(t, "holds ", compared, " requests")
	claimed(t, "verdict on each: ", refused, " are refused")
	claimed(t, "refused, ", exceptions, " fall under the two exceptions")
}

// claimed says whether the README claims just so much.
func claimed(t *testing.T, before string, figure int, after string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	written := strconv.Itoa(figure)
	if figure >= 1000 {
		written = fmt.Sprintf("%d,%03d", figure/1000, figure%1000)
	}
	if claim := before + written + after; !strings.Contains(strings.Join(strings.Fields(string(text)), " "), claim) {
		t.Errorf("the README does not say %q", claim)
	}
}

func readCases(t *testing.T, file string) []Case {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []Case
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}
