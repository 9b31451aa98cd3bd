package nearest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestAnObjectIsMeantByAMistypedName(t *testing.T) {
	for _, c := range []struct{ name, candidate, object, ofSet string }{
		{"checkouts", "checkout", "checkout", "checkout"},
		{"shop-chekout", "shop-checkout", "shop-checkout", "shop-checkout"},
		{"shopcheckout", "shop-checkout", "shop-checkout", "shop-checkout"},
		{"Shop_Checkout", "shop-checkout", "shop-checkout", "shop-checkout"},
		{"web", "web-svc", "", "web-svc"},
		{"service-web", "web", "", "web"},
		{"web", "web-canary", "", ""},
		{"web", "wed", "", ""},
		{"tls-a", "tls-b", "", ""},
		{"prod-1", "prod-2", "", ""},
		{"prod", "prod-2", "", ""},
		{"orders", "carts", "", ""},
		{"shop-oders", "store-orders", "", ""},
		{"checkout", "checkout", "", ""},
		{"", "a", "", ""},
		{"a", "", "", ""},
	} {
		if have, _ := Object(c.name, []string{"other", c.candidate}); have != c.object {
			t.Errorf("%q for %q: have %q, want %q", c.candidate, c.name, have, c.object)
		}
		if shares := shareShape(c.name, c.candidate); c.ofSet != "" && !shares {
			t.Errorf("%q for %q: no shape in common", c.candidate, c.name)
		}
		if have, _ := ObjectOfSet(c.name, []string{"other", c.candidate}); have != c.ofSet {
			t.Errorf("%q in a set, for %q: have %q, want %q", c.candidate, c.name, have, c.ofSet)
		}
	}
	for _, candidate := range []string{"orders", "web-checkout-1", "checkout-long", "", "web", "chekcouts-2"} {
		if shareShape("shop-checkout", candidate) {
			t.Errorf("%q: has a shape in common", candidate)
		}
	}
	if have, _ := ObjectOfSet("web", []string{"web-svc", "web-service"}); have != "web-svc" {
		t.Errorf("have %q, want the first", have)
	}
	if have, _ := ObjectOfSet("checkout", []string{"checkout-svc", "chekout"}); have != "chekout" {
		t.Errorf("have %q, want the nearest", have)
	}
}

func shareShape(a, b string) bool {
	shapes := Shapes(nil, b)
	return slices.ContainsFunc(Shapes(nil, a), func(hash uint64) bool { return slices.Contains(shapes, hash) })
}

// Names that are near each other share a shape. The names have few words, so that many are near.
func TestNamesThatAreNearShareAShape(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"web", "svc", "shop", "orders", "Config", "ä", "a1", "12", "sa", "Über", "pod"}
	slip := func(text string) string {
		name := []byte(text)
		switch i := random.IntN(len(name)); {
		case random.IntN(3) == 0:
			return string(slices.Delete(name, i, i+1))
		case i > 0:
			name[i-1], name[i] = name[i], name[i-1]
		}
		return string(name)
	}
	name := func() string {
		var parts []string
		for range 1 + random.IntN(3) {
			parts = append(parts, words[random.IntN(len(words))])
		}
		return strings.Join(parts, string("-._/"[random.IntN(4)]))
	}
	near := 0
	for range 100_000 {
		a := name()
		b := slip(a)
		if random.IntN(2) == 0 {
			b = name()
		}
		_, isNear := ObjectOfSet(a, []string{b})
		if isNear {
			near++
		}
		if isNear && !shareShape(a, b) {
			t.Fatalf("%q and %q", a, b)
		}
	}
	if near < 10_000 {
		t.Errorf("only %d pairs are near", near)
	}
}
