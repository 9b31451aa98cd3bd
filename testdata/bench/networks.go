package bench

const networks = "networking.platform.cloud/v1alpha1"

func writeClusterNetworkPolicy(d *draft) {
	name := d.name()
	d.line("# Who may call %s, and whom it may call.", name)
	d.head(networks, "ClusterNetworkPolicy", name, cluster)
	d.line("spec:")
	d.faulty(DuplicateKey, "  tier: Baseline")
	d.faulty(UnknownField, "  teir: Admin")
	d.line("  tier: Admin")
	d.line("  priority: %s", d.unless(WrongType, "10", `"10"`))
	d.line("  subject:")
	d.line("    pods:")
	d.line("      namespaceSelector: {}")
	d.line("      podSelector:")
	d.selector("        ")
	d.line("  ingress:")
	for range d.between(1, 4) {
		start := d.between(1024, 30000)
		d.line("    - name: from-%s", d.pick(products))
		d.line("      action: Accept")
		d.line("      from:")
		d.line("        - namespaces:")
		d.line("            matchLabels:")
		d.line("              team: %s", d.pick(teams))
		d.line("      ports:")
		d.line("        - portNumber: {port: %d, protocol: TCP}", d.between(1, 65536))
		d.line("        - portRange:")
		d.line("            start: %d", start)
		d.line("            end: %d", start+d.between(1, 1000))
		d.line("            protocol: UDP")
	}
	d.faulty(FailedRule, "    - {action: Accept, from: [{namespaces: {}}], ports: [{portRange: {start: 9000, end: 80}}]}")
	d.line("    - action: Deny  # and nobody else")
	d.line("      from:")
	d.line("        - namespaces: {}")
	d.line("  egress:")
	d.line("    - action: Accept")
	d.line("      to:")
	d.line(`        - domainNames: ["*.%s.example.com", "%s.example.com"]`, d.pick(products), d.pick(parts))
	d.line("    - action: Accept")
	d.line("      to:")
	d.line("        - domainNames:")
	d.line("            - %s.example.org", d.pick(parts))
}

func writeClusterPolicyEndpoint(d *draft) {
	d.policyEndpoint(d.between(1, 8))
}

// policyEndpoint writes a resolved policy with so many pods.
func (d *draft) policyEndpoint(pods int) {
	name := d.name()
	d.head(networks, "ClusterPolicyEndpoint", name, cluster)
	d.line("spec:")
	d.faulty(DuplicateKey, "  tier: Baseline")
	d.faulty(UnknownField, "  tiers: [Admin]")
	d.line("  policyRef:")
	d.line("    name: %s", d.unless(WrongType, name, "5"))
	d.line("  priority: %d", d.between(0, 1000))
	d.line("  subject: {}")
	d.line("  tier: Admin")
	d.line("  ingress:")
	for range d.between(1, 6) {
		port := d.between(1024, 30000)
		d.line("    - action: Accept")
		d.line("      cidr: 192.0.2.%d/32", d.random.IntN(256))
		d.line("      ports:")
		d.line("        - port: %d", port)
		d.line("          endPort: %d", port+d.between(1, 1000))
		d.line("        - {port: 443, protocol: TCP}")
	}
	d.faulty(FailedRule, "    - {action: Accept, ports: [{port: 8100, endPort: 8000}]}")
	d.line("  egress:")
	d.line("    - action: Accept")
	d.line(`      domainName: "*.%s.example.com"`, d.pick(products))
	d.line("  podSelectorEndpoints:")
	for i := range pods {
		d.line("    - hostIP: 192.0.2.%d", d.random.IntN(256))
		d.line("      name: %s-%d", name, i)
		d.line("      namespace: %s", d.pick(teams))
		d.line("      podIP: 10.%d.%d.%d", d.random.IntN(256), d.random.IntN(256), d.random.IntN(256))
	}
}
