package catalog

import "testing"

func TestAVersionOfKubernetesHasAKnownMinorVersion(t *testing.T) {
	for text, want := range map[string]int{
		"1.29": 29, "1.36": 36, "1.37": 37, "v1.33": 33, "1.33.4": 33, "v1.33.4": 33,
		"v1.34.6-eks-bbe087e": 34, "v1.30.4-gke.1348000": 30, "1.33.1+k3s1": 33, "v1.32": 32, "1.33.1+rke2r1": 33,
		"v1.35.0-alpha.1+abc": 35, "1.33+": 0, "1.33-": 0, "v1.28.1-eks-1": 0, "1.33.1-eks_1": 0, "1.33.1 eks": 0, "1.033": 0,
		"1.28": 0, "1.38": 0, "1": 0, "2.33": 0, "133": 0, "": 0, "1.x": 0, "1.33.": 0, "1.33.x": 0, "1.-33": 0,
	} {
		minor, ok := ParseKubernetes(text)
		if ok != (want != 0) || ok && minor != want {
			t.Errorf("%q: have %d, %t; want %d", text, minor, ok, want)
		}
	}
}

func TestTheGenerationIsValidatedUntilTheServerSetsIt(t *testing.T) {
	for minor, want := range map[int]bool{36: true, 37: false} {
		for _, e := range KubernetesKinds(minor) {
			if k, ok := e.Kind("v2"); ok && e.Name == "HorizontalPodAutoscaler" && k.Resource.Generation != want {
				t.Errorf("1.%d: have %t", minor, k.Resource.Generation)
			}
		}
	}
}
