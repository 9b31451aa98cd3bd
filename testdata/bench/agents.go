package bench

import "strings"

const agents = "agentcorecontrol.services.platform.cloud/v1alpha1"

// underscored turns a name of Kubernetes into one that the agent kinds take.
func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

func writeBrowser(d *draft) {
	name := d.name()
	d.line("# The browser that the agents of %s share.", d.pick(products))
	d.head(agents, "Browser", name, namespaced)
	d.line("spec:")
	d.faulty(DuplicateKey, "  description: written twice")
	d.faulty(UnknownField, "  descriptoin: misspelt")
	d.line("  name: %s", underscored(name))
	d.line(`  description: "%s, for %s"`, d.pick(parts), d.pick(teams))
	d.line("  browserSigning: {enabled: %t}", d.chance(2))
	d.line("  certificates:")
	for range d.between(1, 4) {
		d.line("    - location:")
		d.line("        secretsStore:")
		d.line("          secretARN: arn:cloud:secrets:eu-1:123456789012:secret/%s", d.pick(products))
	}
	d.line("  enterprisePolicies:")
	d.line("    - type: MANAGED")
	d.line("      location:")
	d.line("        objectStore: {bucket: policies, prefix: %s/}", d.pick(parts))
	d.line("  executionRoleARN: arn:cloud:iam::123456789012:role/service/%s", d.pick(parts))
	d.line("  networkConfiguration:")
	d.line("    networkMode: VPC")
	d.line("    vpcConfig:")
	d.line("      subnets: [subnet-%s, subnet-%s]", d.letters(8, hexadecimal), d.letters(8, hexadecimal))
	d.line("      securityGroupRefs:")
	d.line("        - from: {name: %s}", d.pick(parts))
	d.line("  recording:")
	d.line("    enabled: %s  # for thirty days", d.unless(WrongType, "true", `"true"`))
	d.line("    objectStoreLocation: {bucket: recordings-%s, prefix: %s/}", d.letters(6, alphabet), d.pick(products))
	d.line("  tags:")
	d.line("    team: %s", d.pick(teams))
	d.line(`    cost-centre: "%d"`, d.between(1000, 9999))
}

func writeBrowserProfile(d *draft) {
	name := d.name()
	d.line("# A profile without history.")
	d.head(agents, "BrowserProfile", name, namespaced)
	d.line("spec:")
	d.faulty(DuplicateKey, "  name: written_twice")
	d.faulty(UnknownField, "  names: misspelt")
	d.line("  name: %s", d.unless(WrongType, underscored(name), "[listed]"))
	d.line("  description: |")
	for range d.between(2, 6) {
		d.line("    For %s, which signs in to %s of the %s environment.", d.pick(teams), d.pick(products),
			d.pick(environments))
	}
	d.line("  tags:")
	for _, key := range []string{"team", "purpose", "stage", "zone"} {
		d.line("    %s: %s", key, d.pick(zones))
	}
}

func writeAgentRuntime(d *draft) {
	name := d.name()
	d.head(agents, "AgentRuntime", name, namespaced)
	d.line("spec:")
	d.line("  agentRuntimeName: %s", underscored(name))
	d.line("  agentRuntimeArtifact:")
	d.line("    containerConfiguration:")
	d.line("      containerURI: images.example.com/%s/%s:%d.%d.%d", d.pick(teams), d.pick(parts), d.between(0, 4),
		d.between(0, 30), d.between(0, 9))
	d.line("  environmentVariables:")
	for i := range d.between(3, 9) {
		d.line(`    %s_%d: "%d"`, strings.ToUpper(d.pick(products)), i, d.between(0, 100000))
	}
	d.line("  lifecycleConfiguration: {idleRuntimeSessionTimeout: %d, maxLifetime: 28800}", d.between(60, 900))
	d.line("  networkConfiguration:")
	d.line("    networkMode: PUBLIC")
	d.line("  tags: {team: %s, stage: %s}", d.pick(teams), d.pick(environments))
}

func writeAgentRuntimeEndpoint(d *draft) {
	name := d.name()
	d.line("# Where %s is called.", name)
	d.head(agents, "AgentRuntimeEndpoint", name, namespaced)
	d.line("spec:")
	d.faulty(DuplicateKey, `  agentRuntimeVersion: "1"`)
	d.faulty(UnknownField, "  agentRuntimeVersoin: misspelt")
	d.line("  agentRuntimeID: %s-%s", underscored(name), d.letters(10, alphabet))
	d.line("  agentRuntimeVersion: %s", d.unless(WrongType, `"12"`, "12"))
	d.line("  name: live")
	d.line("  description: 'the endpoint that %s calls, as agreed with %s'", d.pick(products), d.pick(teams))
	d.line("  tags:")
	d.line("    team: %s", d.pick(teams))
	d.line("    stage: %s", d.pick(environments))
	d.line("status:")
	d.line("  agentRuntimeARN: arn:cloud:agent:eu-1:123456789012:runtime/%s:12", underscored(name))
	d.line("  controllerResourceMetadata:")
	d.line(`    ownerAccountID: "123456789012"`)
	d.line("    region: eu-1")
	d.line("  conditions:")
	d.line(`    - status: "True"`)
	d.line("      type: Ready")
	d.line(`      lastTransitionTime: "2026-01-%02dT03:04:05Z"`, d.between(1, 29))
	d.line(`  createdAt: "2026-01-02T03:04:05.%03dZ"`, d.between(0, 1000))
	d.line(`  targetVersion: "13"`)
}
