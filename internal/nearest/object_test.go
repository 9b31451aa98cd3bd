package nearest

import "testing"

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
		if isPossible := Possible(c.name)([]byte(c.candidate)); c.ofSet != "" && !isPossible {
			t.Errorf("%q for %q: not possible", c.candidate, c.name)
		}
		if have, _ := ObjectOfSet(c.name, []string{"other", c.candidate}); have != c.ofSet {
			t.Errorf("%q in a set, for %q: have %q, want %q", c.candidate, c.name, have, c.ofSet)
		}
	}
	for _, candidate := range []string{"orders", "web-checkout-1", "checkout-long", "", "web", "chekcouts-2"} {
		if Possible("shop-checkout")([]byte(candidate)) {
			t.Errorf("%q: possible", candidate)
		}
	}
	if have, _ := ObjectOfSet("web", []string{"web-svc", "web-service"}); have != "web-svc" {
		t.Errorf("have %q, want the first", have)
	}
	if have, _ := ObjectOfSet("checkout", []string{"checkout-svc", "chekout"}); have != "chekout" {
		t.Errorf("have %q, want the nearest", have)
	}
}
