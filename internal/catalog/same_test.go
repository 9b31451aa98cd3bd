package catalog

import "testing"

func TestSameKind(t *testing.T) {
	for _, c := range []struct{ group, kind, want string }{
		{"elbv2.k8s.aws", "TargetGroupBinding", "elbv2.platform.cloud"},
		{"bedrockagentcorecontrol.services.k8s.aws", "Browser", "agentcorecontrol.services.platform.cloud"},
		{"resources.teleport.dev", "TeleportAppV3", "resources.vendor.dev"},
		{"resources.teleport.dev", "TeleportOpenSSHServerV2", "resources.vendor.dev"},
		{"resources.teleport.dev", "AppV3", ""},
		{"resources.teleport.dev", "TeleportRole", ""},
		{"shop.example.com", "Browser", ""},
		{"events.k8s.io", "Event", ""},
		{"policy.networking.k8s.io", "ClusterNetworkPolicy", ""},
		{"elbv2.platform.cloud", "TargetGroupBinding", ""},
		{"", "Event", ""},
	} {
		e, ok := SameKind(c.group, c.kind)
		if ok != (c.want != "") || ok && e.Group != c.want {
			t.Errorf("%s %s: have %+v, %v", c.group, c.kind, e, ok)
		}
	}
}
