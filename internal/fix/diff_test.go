package fix

import (
	"os/exec"
	"strings"
	"testing"
)

func lines(text string) string { return strings.Join(strings.Split(text, ""), "\n") + "\n" }

// Each diff leads from the old to the new text.
func TestDiffs(t *testing.T) {
	for _, c := range []struct{ before, after, with, without string }{
		{
			lines("abcdefg"), lines("abcXefg"),
			"@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+X\n e\n f\n g\n", "@@ -4,1 +4,1 @@\n-d\n+X\n",
		},
		{
			lines("abcdefg"), lines("Xbcdefgh"),
			"@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n@@ -5,3 +5,4 @@\n e\n f\n g\n+h\n", "@@ -1,1 +1,1 @@\n-a\n+X\n@@ -7,0 +8,1 @@\n+h\n",
		},
		{lines("ab"), lines("b"), "@@ -1,2 +1,1 @@\n-a\n b\n", "@@ -1,1 +0,0 @@\n-a\n"},
		{
			"a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
			"@@ -2,1 +2,1 @@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
		},
		{"a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "@@ -2,1 +2,1 @@\n-b\r\n+c\r\n"},
	} {
		change := Change{Name: "d/a.yaml", Before: c.before, After: c.after}
		head := "--- a/d/a.yaml\n+++ b/d/a.yaml\n"
		if have := change.Diff(true); have != head+c.with {
			t.Errorf("have\n%s\nwant\n%s", have, head+c.with)
		}
		if have := change.Diff(false); have != head+c.without {
			t.Errorf("without context: have\n%s\nwant\n%s", have, head+c.without)
		}
		for _, hasContext := range []bool{true, false} {
			wantPatched(t, &change, hasContext)
		}
	}
}

// wantPatched applies a diff with the program that people use.
func wantPatched(t *testing.T, c *Change, hasContext bool) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	dir := t.TempDir()
	writeFile(t, dir+"/d/a.yaml", c.Before)
	args := []string{"apply", "--whitespace=nowarn"}
	if !hasContext {
		args = append(args, "--unidiff-zero")
	}
	run := exec.Command("git", args...)
	run.Dir, run.Stdin = dir, strings.NewReader(c.Diff(hasContext))
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, c.Diff(hasContext))
	}
	if have := readFile(t, dir+"/d/a.yaml"); have != c.After {
		t.Errorf("have %q, want %q", have, c.After)
	}
}
