package diag

import "testing"

func TestArticleFitsTheNoun(t *testing.T) {
	for noun, want := range map[string]string{
		"string": "a string", "integer": "an integer", "object": "an object", "null": "null", "": "",
		"EventList": "an EventList", "Event": "an Event", "IngressClassParams": "an IngressClassParams",
		"Browser": "a Browser", "UDPRoute": "a UDPRoute",
	} {
		if have := Article(noun); have != want {
			t.Errorf("Article(%q) is %q, want %q", noun, have, want)
		}
	}
}
