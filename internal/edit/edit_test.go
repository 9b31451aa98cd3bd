package edit

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func at(start, end int, text string) Edit {
	return Edit{File: "a.yaml", Span: source.Span{Start: start, End: end}, New: text}
}

func TestEditsReplaceInsertAndDelete(t *testing.T) {
	for _, c := range []struct {
		name, text string
		groups     [][]Edit
		want       string
		left       []int
	}{
		{"nothing", "abc", nil, "abc", nil},
		{"replaced", "abc", [][]Edit{{at(1, 2, "xyz")}}, "axyzc", nil},
		{"inserted at both ends", "abc", [][]Edit{{at(3, 3, ">"), at(0, 0, "<")}}, "<abc>", nil},
		{"deleted whole", "abc", [][]Edit{{at(0, 3, "")}}, "", nil},
		{"neighbors", "abcd", [][]Edit{{at(2, 4, "y")}, {at(0, 2, "x")}}, "xy", nil},
		{"inserted after what is replaced", "abcd", [][]Edit{{at(0, 2, "x")}, {at(2, 2, "y")}}, "xycd", nil},
		{"characters of several bytes", "äöü", [][]Edit{{at(2, 4, "o")}}, "äoü", nil},
		{"the first of two that overlap", "abcd", [][]Edit{{at(0, 3, "x")}, {at(2, 4, "y")}, {at(3, 4, "z")}}, "xz", []int{1}},
		{"two at the same offset", "abcd", [][]Edit{{at(1, 1, "x")}, {at(1, 1, "y")}, {at(1, 3, "z")}}, "axbcd", []int{1, 2}},
		{"an equal one", "abcd", [][]Edit{{at(1, 2, "x")}, {at(1, 2, "x"), at(3, 4, "y")}}, "axcy", nil},
		{"a group is applied whole or not", "abcd", [][]Edit{{at(0, 1, "x")}, {at(3, 4, "z"), at(0, 1, "y")}}, "xbcd", []int{1}},
		{"a group that overlaps with itself", "abcd", [][]Edit{{at(0, 2, "x"), at(1, 3, "y")}, {at(1, 2, "z")}}, "azcd", []int{0}},
	} {
		have := Apply(c.text, c.groups...)
		if have.Text != c.want || !slices.Equal(have.Left, c.left) {
			t.Errorf("%s: have %q without %v, want %q without %v", c.name, have.Text, have.Left, c.want, c.left)
		}
	}
}

func TestTheMapSaysWhereEachByteWent(t *testing.T) {
	r := Apply("0123456789", []Edit{at(0, 0, "<<"), at(3, 5, "x"), at(7, 9, "")})
	if r.Text != "<<012x569" {
		t.Fatalf("have %q", r.Text)
	}
	for old, want := range []int{2, 3, 4, 5, 5, 6, 7, 8, 8, 8, 9} {
		if have := r.Map.Offset(old); have != want {
			t.Errorf("offset %d: have %d, want %d", old, have, want)
		}
	}
	want := []Change{
		{source.Span{}, source.Span{Start: 0, End: 2}}, {source.Span{Start: 3, End: 5}, source.Span{Start: 5, End: 6}},
		{source.Span{Start: 7, End: 9}, source.Span{Start: 8, End: 8}},
	}
	if !slices.Equal(r.Map.Changes(), want) {
		t.Errorf("have %v, want %v", r.Map.Changes(), want)
	}
	if have := (Map{}).Offset(7); have != 7 {
		t.Errorf("without edits, have %d", have)
	}
}

// All bytes outside of the edits stay, wherever the edits are.
func TestBytesOutsideOfTheEditsStay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := strings.Repeat("abcdefghij", random.IntN(4))
		var groups [][]Edit
		for range random.IntN(5) {
			start := random.IntN(len(text) + 1)
			groups = append(groups, []Edit{at(start, start+random.IntN(len(text)-start+1), strings.Repeat("X", random.IntN(4)))})
		}
		r := Apply(text, groups...)
		replaced := make([]bool, len(text))
		for _, c := range r.Map.Changes() {
			for i := c.Old.Start; i < c.Old.End; i++ {
				replaced[i] = true
			}
		}
		for i := range text {
			if to := r.Map.Offset(i); !replaced[i] && r.Text[to] != text[i] {
				t.Fatalf("%q with %v: byte %d is %q at %d of %q", text, groups, i, r.Text[to], to, r.Text)
			}
		}
		if len(r.Left)+len(r.Map.Changes()) > len(groups) {
			t.Fatalf("%d groups are %d left and %d changes", len(groups), len(r.Left), len(r.Map.Changes()))
		}
	}
}

func TestAnEditOfAnotherTextIsABug(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Apply("abc", []Edit{at(2, 4, "x")})
}
