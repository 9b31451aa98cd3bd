package bench

const loadBalancers = "elbv2.platform.cloud/"

func writeTargetGroupBinding(d *draft) {
	name := d.targetGroupBinding("v1beta1")
	d.line("  ipAddressType: ipv4")
	d.line("  nodeSelector:")
	d.selector("    ")
	d.ingress(name, d.targetType())
}

func writeOldTargetGroupBinding(d *draft) {
	name := d.targetGroupBinding("v1alpha1")
	d.ingress(name, d.targetType())
}

// targetGroupBinding writes what both versions begin with, and returns the name.
func (d *draft) targetGroupBinding(version string) string {
	name := d.name()
	d.line("# Targets of %s, registered with the load balancer of %s.", name, d.pick(teams))
	d.head(loadBalancers+version, "TargetGroupBinding", name, namespaced)
	d.line("spec:")
	d.faulty(DuplicateKey, "  targetGroupARN: arn:cloud:elb:eu-1:123456789012:targetgroup/twice/0123456789abcdef")
	d.line("  serviceRef:")
	d.line("    name: %s", name)
	d.line("    port: %s", d.unless(WrongType, "80", "true"))
	d.line("  targetGroupARN: arn:cloud:elb:eu-1:123456789012:targetgroup/%s/%s", d.pick(parts),
		d.letters(16, hexadecimal))
	return name
}

// targetType writes and returns the sort of targets.
func (d *draft) targetType() string {
	sort := d.pick([]string{"instance", "ip"})
	d.line("  targetType: %s", sort)
	return sort
}

// ingress writes what may reach the targets; ports have names only where targets are addresses.
func (d *draft) ingress(name, targetType string) {
	d.line("  networking:")
	d.faulty(UnknownField, "    egress: []")
	d.line("    ingress:")
	for range d.between(1, 4) {
		d.line("      - from:")
		d.line("          - ipBlock:")
		d.line("              cidr: 10.%d.%d.0/24  # %s", d.random.IntN(256), d.random.IntN(256), d.pick(zones))
		d.faulty(FailedRule, "            securityGroup: {groupID: sg-0}")
		d.line("          - securityGroup:")
		d.line("              groupID: sg-%s", d.letters(17, hexadecimal))
		d.line("        ports:")
		d.line("          - port: %d", d.between(1024, 65536))
		d.line("            protocol: TCP")
		if targetType == "ip" {
			d.line("          - port: %q", name[:4])
		}
	}
}

func writeIngressClassParams(d *draft) {
	name := d.name()
	d.head(loadBalancers+"v1beta1", "IngressClassParams", name, cluster)
	d.line("spec:")
	d.faulty(DuplicateKey, "  sslPolicy: twice")
	d.faulty(UnknownField, "  sslPolicies: [modern]")
	d.line("  group:")
	d.line("    name: %s", d.unless(WrongType, d.pick(products), "[listed]"))
	d.line("  inboundCIDRs:")
	for range d.between(1, 5) {
		d.line("    - 192.0.2.%d/32", d.random.IntN(256))
	}
	d.line("  ipAddressType: dualstack")
	d.line("  loadBalancerAttributes:")
	d.line("    - key: deletion_protection.enabled")
	d.line(`      value: "true"`)
	d.line("    - key: idle_timeout.timeout_seconds")
	d.line(`      value: "%d"  # seconds`, d.between(30, 600))
	d.line("  namespaceSelector:")
	d.selector("    ")
	d.line("  scheme: internal")
	d.line("  sslPolicy: modern")
	d.line("  subnets:")
	d.faulty(FailedRule, "    tags: {zone: [a]}")
	d.line("    ids: [subnet-%s, subnet-%s]", d.letters(17, hexadecimal), d.letters(17, hexadecimal))
	d.line("  tags:")
	d.line("    - key: team")
	d.line("      value: %s", d.pick(teams))
	d.line("    - {key: stage, value: %s}", d.pick(environments))
}

// selector writes the members of a label selector.
func (d *draft) selector(indent string) {
	d.line("%smatchLabels:", indent)
	d.line("%s  team: %s", indent, d.pick(teams))
	d.line("%smatchExpressions:", indent)
	d.line("%s  - {key: zone, operator: In, values: [%s, %s]}", indent, d.pick(zones), d.pick(zones))
	d.line("%s  - key: stage", indent)
	d.line("%s    operator: NotIn", indent)
	d.line("%s    values: [%q]", indent, d.pick(environments))
	if d.chance(2) {
		d.line("%s  - {key: spot, operator: DoesNotExist}", indent)
	}
}
