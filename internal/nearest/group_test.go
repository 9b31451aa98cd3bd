package nearest

import (
	"strings"
	"testing"
)

func TestGroupIsASlipInOneLabel(t *testing.T) {
	for _, c := range []struct {
		name, known string
		isSlip      bool
	}{
		{"elbv2.platfrom.cloud", "elbv2.platform.cloud", true},
		{"elbv2.plattform.cloud", "elbv2.platform.cloud", true},
		{"elbv2.platform.clod", "elbv2.platform.cloud", true},
		{"elbv2.platform.cloudd", "elbv2.platform.cloud", true},
		{"Apps", "apps", true},
		{"cert_manager.io", "cert-manager.io", true},
		{"certmanager.io", "cert-manager.io", true},
		{"elbv2.platfrom.clod", "elbv2.platform.cloud", false}, // two labels
		{"elbv2.plattforms.cloud", "elbv2.platform.cloud", false},
		{"elbv3.platform.cloud", "elbv2.platform.cloud", false},
		{"networking.k8s.io", "networking.k8s.aws", false},
		{"eks.services.k8s.aws", "ecr.services.k8s.aws", false},
		{"eks.services.k8s.aws", "ecs.services.k8s.aws", false},
		{"gateway.networking.x-k8s.io", "gateway.networking.k8s.io", false},
		{"scheduling.x-k8s.io", "scheduling.k8s.io", false},
		{"s3.aws.m.upbound.io", "s3.aws.upbound.io", false},
		{"monitoring.coreos.io", "monitoring.coreos.com", false},
		{"node.example.com", "mode.example.com", false}, // four letters
		{"nodes.example.com", "modes.example.com", true},
		{"node.example.com", "nodes.example.com", true},
		{"app.k8s.io", "apps.k8s.io", false},
		{"example.com", "example.com", false},
		{"", "example.com", false},
		{"a.b", ".b", false},
		{"1.b", "2.b", false},
		{strings.Repeat("a", longest-4) + ".com", strings.Repeat("a", longest-5) + ".com", true},
		{strings.Repeat("a", longest-3) + ".com", strings.Repeat("a", longest-4) + ".com", false},
	} {
		have, ok := Group(c.name, []string{c.known})
		if ok != c.isSlip || ok && have != c.known {
			t.Errorf("Group(%q, %q) is %q, %v", c.name, c.known, have, ok)
		}
	}
	if have, _ := Group("Example.com", []string{"examples.com", "example.com"}); have != "example.com" {
		t.Errorf("case alone is nearer than a letter: %s", have)
	}
}

func TestKindIsASlipInsideTheName(t *testing.T) {
	for _, c := range []struct {
		name, known string
		isSlip      bool
	}{
		{"TargetGroupBindng", "TargetGroupBinding", true},
		{"TargetGruopBinding", "TargetGroupBinding", true},
		{"targetgroupbinding", "TargetGroupBinding", true},
		{"TargetGroupBindings", "TargetGroupBinding", false},
		{"Router", "Route", false},
		{"XMesh", "Mesh", false},
		{"XListenerSet", "ListenerSet", false},
		{"TCPRoute", "UDPRoute", false},
		{"TCPRoute", "TLSRoute", false},
		{"Rule", "Role", false},
		{"Policy", "Polcy", false}, // six letters
		{"Clusters", "Clustrs", true},
		{"Cluster", "Clustr", true},
		{"AcmeAppV2", "AcmeAppV3", false},
		{"VM", "vm", true},
		{"Gateway", "Gateway", false},
		{"Gateway", "", false},
	} {
		have, ok := Kind(c.name, []string{c.known})
		if ok != c.isSlip || ok && have != c.known {
			t.Errorf("Kind(%q, %q) is %q, %v", c.name, c.known, have, ok)
		}
	}
}
