package find

import (
	"errors"
	"strings"
	"testing"
)

// The search compares a.yaml with both patterns, b.yaml with the last one, and c.yaml with both.
func TestFilesAreCheckedIfPatternsTakeTooLong(t *testing.T) {
	for _, test := range []struct {
		steps      int
		want       string
		isReported bool
	}{
		{5, "c.yaml", false}, {4, "c.yaml", true}, {2, "b.yaml c.yaml", true}, {1, "a.yaml b.yaml c.yaml", true},
	} {
		for file, text := range map[string]string{
			".gitignore": "a.yaml\nb.yaml\n", ".kindvetignore": "a.yaml\nb.yaml\n",
			".kindvet.yaml": "exclude: [a.yaml, b.yaml]\n",
		} {
			root := tree(t, map[string]string{".git/HEAD": "", file: text, "a.yaml": "", "b.yaml": "", "c.yaml": ""})
			f, err := New(Options{Base: OnDisk(root), Paths: []string{"."}})
			if err != nil {
				t.Fatal(err)
			}
			f.steps = test.steps
			found, err := f.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, x := range found.Files {
				names = append(names, x.Name)
			}
			if have := strings.Join(names, " "); have != test.want {
				t.Errorf("%s with %d steps: have %q, want %q", file, test.steps, have, test.want)
			}
			why := NewLookup(f).Unreadable()
			isReported := len(why) == 1 && errors.Is(why[0], errSteps) && strings.Contains(why[0].Error(), file)
			if isReported != test.isReported || len(why) > 1 {
				t.Errorf("%s with %d steps: have %v", file, test.steps, why)
			}
		}
	}
}

func TestAMissingPathIsUnknownIfPatternsTakeTooLong(t *testing.T) {
	root := tree(t, map[string]string{".git/HEAD": "", ".gitignore": "b\n", "a.yaml": ""})
	f, err := New(Options{Base: OnDisk(root), Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := NewLookup(f)
	before := l.At(found.Tree, &found.Files[0], "missing.yaml")
	f.steps = 0
	if after := l.At(found.Tree, &found.Files[0], "missing.yaml"); after == before {
		t.Errorf("have %v", after)
	}
	if have := l.Unreadable(); len(have) != 1 || !errors.Is(have[0], errSteps) {
		t.Errorf("have %v", have)
	}
}
