package nearest

import "testing"

func TestSpellings(t *testing.T) {
	for _, c := range []struct {
		name, meant string
		others      []string
		want        bool
	}{
		{"Ports", "ports", nil, true},
		{"image_pull-policy", "imagePullPolicy", nil, true},
		{"always", "Always", []string{"Always", "Never"}, true},
		{"port", "ports", nil, false},
		{"--", "_", nil, false},
		{"hostip", "hostIP", []string{"hostIP", "hostIp"}, false},
		{"hostip", "hostIP", []string{"hostIP", "hostip"}, true},
		{"ÄB", "äb", nil, true},
	} {
		if have := IsSpelling(c.name, c.meant, c.others); have != c.want {
			t.Errorf("%s, %s among %q: %v", c.name, c.meant, c.others, have)
		}
	}
}
