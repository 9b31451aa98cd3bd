package bench

import "fmt"

// writeEvent writes an event, whose members stand at its root and have a CEL rule each. It has no fault of
// UnknownField: the root is the one place where the JSON schemas of WriteJSONSchemas take any field.
func writeEvent(d *draft) {
	name := d.name()
	d.line("# As %s reported it.", name)
	d.head("events.platform.io/v1", "Event", fmt.Sprintf("%s.%s", name, d.letters(16, hexadecimal)), namespaced)
	d.faulty(DuplicateKey, "type: Warning")
	d.line(`eventTime: "2026-%02d-%02dT%02d:04:05.%06d%s"`, d.between(1, 13), d.between(1, 29), d.between(0, 24),
		d.between(0, 1e6), d.unless(FailedRule, "Z", ""))
	d.line("action: %s", d.pick([]string{"Binding", "Pulling", "Scaling"}))
	d.line("reason: %s", d.pick([]string{"Bound", "Pulled", "Scaled"}))
	d.line("reportingController: example.com/%s", d.pick(parts))
	d.line("reportingInstance: %s", name)
	d.line("type: Normal")
	d.line(`note: "%s of %s is ready: \"%s\""`, d.pick(parts), d.pick(products), d.pick(zones))
	d.line("deprecatedCount: %s", d.unless(WrongType, "1", `"1"`))
	d.line(`deprecatedFirstTimestamp: "2026-01-%02dT03:04:05+02:00"`, d.between(1, 29))
	d.line("deprecatedSource: {component: %s, host: node-%d}", d.pick(parts), d.random.IntN(500))
	d.line("regarding:")
	d.line("  apiVersion: elbv2.platform.cloud/v1beta1")
	d.line("  kind: TargetGroupBinding")
	d.line("  name: %s", d.name())
}
