package names

import "testing"

func TestReplaceWordsReplacesWholeNames(t *testing.T) {
	words := map[string]string{
		"objectStore": "s3Location", "elbv2.platform.cloud": "elb.example", "VendorAppV3": "AcmeAppV3",
	}
	for _, c := range []struct{ text, want string }{
		{"Where objectStore is.", "Where s3Location is."},
		{"objectStoreLocation or (objectStore), objectStore.", "objectStoreLocation or (s3Location), s3Location."},
		{"group elbv2.platform.cloud/v1, not x.elbv2.platform.cloud", "group elb.example/v1, not x.elbv2.platform.cloud"},
		{"--- é VendorAppV3\n", "--- é AcmeAppV3\n"},
		{"", ""},
	} {
		if have := replaceWords(c.text, words); have != c.want {
			t.Errorf("%q: have %q, want %q", c.text, have, c.want)
		}
	}
}
