package catalog

import "testing"

func TestAVersionOfKubernetesHasAKnownMinorVersion(t *testing.T) {
	for text, want := range map[string]int{
		"1.29": 29, "1.36": 36, "v1.33": 33, "1.33.4": 33, "v1.33.4": 33,
		"1.28": 0, "1.37": 0, "1": 0, "2.33": 0, "133": 0, "": 0, "1.x": 0, "1.33.": 0, "1.33.x": 0, "1.-33": 0,
	} {
		minor, ok := ParseKubernetes(text)
		if ok != (want != 0) || ok && minor != want {
			t.Errorf("%q: have %d, %t; want %d", text, minor, ok, want)
		}
	}
}
