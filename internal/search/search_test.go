package search

import (
	"strings"
	"testing"
)

func TestTextsAreFoundAnywhere(t *testing.T) {
	for _, text := range []string{"a", "ab", "argoproj.io/v1alpha1", "$patch", "aaab", "baaa", "xx"} {
		for _, s := range []string{
			"", text, text[1:], text[:len(text)-1], "-" + text, text + "-", text[:len(text)-1] + text,
			strings.Repeat(text[:1], 50) + text, strings.Repeat("abxj$", 40), strings.Repeat("j", 3) + text[1:],
		} {
			if have, want := For(text).In(s), strings.Contains(s, text); have != want {
				t.Errorf("For(%q).In(%q) is %v", text, s, have)
			}
		}
	}
}

func TestTheRarestByteIsSearched(t *testing.T) {
	for text, want := range map[string]string{
		"argoproj.io/v1alpha1": "j", "toolkit.fluxcd.io/": "x", "CustomResourceDefinition": "C", "kind": "k",
	} {
		if s := For(text); s.text[s.rare:s.rare+1] != want {
			t.Errorf("%s: searches %q, want %q", text, s.text[s.rare], want)
		}
	}
}

func TestSeveralTextsAreFoundInOnePass(t *testing.T) {
	several := For("aXb", "longXer", "X")
	for s, want := range map[string]bool{
		"": false, "ab": false, "-aXb-": true, "longXer": true, "-X": true, "longx": false,
	} {
		if have := several.In(s); have != want {
			t.Errorf("In(%q) is %v", s, have)
		}
	}
	two := For("aXb", "longXer")
	for s, want := range map[string]bool{"aXc longXe": false, "Xb aX": false, "gXer": false, "aXlongXer": true, "XaXb": true} {
		if have := two.In(s); have != want {
			t.Errorf("In(%q) is %v", s, have)
		}
	}
	if have := two.Len(); have != len("longXer") {
		t.Error(have)
	}
}
