package kustomize

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestAFileIsReadOnceAsFarAsItIsKept(t *testing.T) {
	reads := map[string]int{}
	read := readOnce(func(name string) (string, error) {
		reads[name]++
		switch name {
		case "none":
			return "", errors.New("none")
		case "half":
			return strings.Repeat("a", mostRead/2), nil
		}
		return strings.Repeat("b", mostRead/2), nil
	})
	for range 2 {
		if _, err := read("none"); err == nil {
			t.Error("a missing file is read")
		}
		if text, err := read("half"); err != nil || len(text) != mostRead/2 || text[0] != 'a' {
			t.Errorf("have %d bytes, %v", len(text), err)
		}
		if text, _ := read("too much"); text[0] != 'b' {
			t.Error("have another text")
		}
	}
	if reads["none"] != 1 || reads["half"] != 1 || reads["too much"] != 2 {
		t.Errorf("have %v", reads)
	}
}

func TestAnAnchorIsFound(t *testing.T) {
	pattern := regexp.MustCompile(`(?m)(^|[\s\[{,])&[^\s&]`)
	for _, text := range []string{"", "&", "&a", "a&b", "a &b", "a & b", "a && b", "&&a", "[&a]", "{&ä", ",&a", "a\n&b", "ä&b &", "a: &", "& &x", "a\t&b", "a &\nb"} {
		if have, want := hasAnchor(text), pattern.MatchString(text); have != want {
			t.Errorf("%q: have %t, want %t", text, have, want)
		}
	}
}
