package git

import (
	"strings"
	"testing"
)

func TestURLsOfTheSameRepository(t *testing.T) {
	same := []string{
		"https://github.com/example/Shop", "https://github.com/example/shop.git", "https://token@github.com/example/shop/",
		"git@github.com:example/shop.git",
		"ssh://git@github.com/example/shop", "ssh://git@github.com:22/example/shop.git",
		"ssh://git@ssh.github.com:443/example/shop.git",
	}
	for _, a := range same {
		for _, b := range same {
			if !IsSameURL(a, b) {
				t.Errorf("%s and %s differ", a, b)
			}
		}
	}
	for _, other := range []string{
		"https://github.com/example/shop2", "https://example.com/example/shop", "", "../shop", "/srv/shop", `C:\shop`,
		"{{ .url }}",
	} {
		if IsSameURL(same[0], other) || IsSameURL(other, other) && !strings.HasPrefix(other, "https:") {
			t.Errorf("%q is the same", other)
		}
	}
}
