package catalog

import "testing"

func TestGatesOfAServer(t *testing.T) {
	for _, c := range []struct {
		gate  string
		minor int
		set   map[string]bool
		isOff bool
	}{
		{"DRAPrioritizedList", 33, nil, true},
		{"DRAPrioritizedList", 34, nil, false},
		{"DRAPrioritizedList", 0, map[string]bool{"DRAPrioritizedList": false}, true},
		{"HPAScaleToZero", 36, nil, true},
		{"HPAScaleToZero", 36, map[string]bool{"HPAScaleToZero": true}, false},
		{"HPAScaleToZero", 36, map[string]bool{"AllAlpha": true}, false},
		{"HPAScaleToZero", 36, map[string]bool{"AllAlpha": true, "HPAScaleToZero": false}, true},
		{"HPAScaleToZero", 36, map[string]bool{"AllBeta": true}, true},
		// beta from 1.33 on, and off by default
		{"SELinuxMount", 32, map[string]bool{"AllBeta": true}, true},
		{"SELinuxMount", 33, map[string]bool{"AllBeta": true}, false},
		{"SELinuxMount", 33, map[string]bool{"AllAlpha": true}, true},
		// stable
		{"SELinuxMountReadWriteOncePod", 36, map[string]bool{"AllBeta": false}, false},
		{"SELinuxMountReadWriteOncePod", 35, map[string]bool{"AllBeta": false}, true},
		// unknown: locked before the oldest version
		{"Other", 36, nil, false},
		{"Other", 36, map[string]bool{"Other": false}, true},
	} {
		if have := (Server{Minor: c.minor}).With(c.set, nil).IsOff(c.gate); have != c.isOff {
			t.Errorf("%s in 1.%d with %v: have %t", c.gate, c.minor, c.set, have)
		}
	}
}

func TestAPIsOfAServer(t *testing.T) {
	for _, c := range []struct {
		set                map[string]bool
		apiVersion, plural string
		isDefault, want    bool
	}{
		{nil, "batch/v1", "jobs", true, true},
		{nil, "batch/v1beta1", "jobs", false, false},
		{map[string]bool{"api/all": true}, "batch/v1beta1", "jobs", false, true},
		{map[string]bool{"api/beta": true}, "batch/v1beta1", "jobs", false, true},
		{map[string]bool{"api/beta": true}, "batch/v1alpha1", "jobs", false, false},
		{map[string]bool{"api/all": false, "v1": true}, "v1", "pods", true, true},
		{map[string]bool{"api/all": false, "v1": true}, "batch/v1", "jobs", true, false},
		{map[string]bool{"batch/v1": false, "batch/v1/jobs": true}, "batch/v1", "jobs", true, true},
		{map[string]bool{"batch/v1": false, "batch/v1/jobs": true}, "batch/v1", "cronjobs", true, false},
		{map[string]bool{"batch/v1/job": false}, "batch/v1", "jobs", true, true},
	} {
		if have := (Server{}).With(nil, c.set).serves(c.apiVersion, c.plural, c.isDefault); have != c.want {
			t.Errorf("%s %s with %v: have %t", c.apiVersion, c.plural, c.set, have)
		}
	}
}

// Stable versions are the last ones, which explain and suggestions use.
func TestAServerWithAllVersionsPrefersStableOnes(t *testing.T) {
	for _, e := range ServerKinds(everything(NewestKubernetes)) {
		isStable := false
		for i, version := range e.Versions {
			if isStable && isPrerelease(version) {
				t.Errorf("%s: %v", e.Name, e.Versions)
			}
			isStable = !isPrerelease(version)
			if k, ok := e.Kind(version); !ok || k.Version != version || e.load().kinds[i] != k {
				t.Errorf("%s: no schema of %s", e.Name, version)
			}
		}
	}
}

func TestAPIsOfKubernetes(t *testing.T) {
	for name, want := range map[string]bool{
		"v1": true, "v1/pods": true, "batch/v1": true, "batch/v1/jobs": true, "resource.k8s.io/v1beta1": true, "api/all": true,
		"api/beta": true, "": false, "batch": false, "batch/v1/Job": false, "batch/v9": false, "api/other": false, "jobs": false,
	} {
		if IsAPI(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestNearestGateOfAMisspelledName(t *testing.T) {
	for name, want := range map[string]string{
		"HPAScaleToZro": "HPAScaleToZero", "HPAScaleToZero": "", "AllAlpha": "", "AllBeta": "", "Other": "", "": "",
	} {
		if near, ok := NearestGate(name); near != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", name, near, ok)
		}
	}
}
