package native

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kindvet/kindvet/internal/manifest"
)

// aggregateResources(spec, name, fields) returns how much of a resource the containers of a pod need together
// (k8s.io/component-helpers, resource.AggregateContainerRequests). fields names the maps of a container's resources in
// which the amount is looked up, such as "requests" or "requests,limits".
func aggregateResources(m *Meter, args []Value) Value {
	if args[0].Kind != Object {
		return Text("")
	}
	spec, name, fields := args[0].Node, args[1].orText().Text, strings.Split(args[2].orText().Text, ",")
	var sum, sidecars, most resource.Quantity
	for c := range spec.At("containers").Children() {
		q, ok := m.amount(c, name, fields)
		if !ok {
			return Value{}
		}
		sum.Add(q)
	}
	for c := range spec.At("initContainers").Children() {
		q, ok := m.amount(c, name, fields)
		if !ok {
			return Value{}
		}
		if c.TextAt("restartPolicy") == "Always" {
			sum.Add(q)
			sidecars.Add(q)
			q = resource.Quantity{}
		}
		q.Add(sidecars)
		if q.Cmp(most) > 0 {
			most = q
		}
	}
	if most.Cmp(sum) > 0 {
		sum = most
	}
	return Text(sum.String())
}

// amount returns how much of a resource a container needs. Containers that do not say so need none of it.
func (m *Meter) amount(container manifest.Node, name string, fields []string) (resource.Quantity, bool) {
	m.spend(4)
	for _, field := range fields {
		if n := container.At("resources", field, name); n.Valid() {
			text := n.Text()
			if n.Type() != manifest.String {
				text = string(n.AppendJSON(nil))
			}
			q, ok := quantityOf(Text(text))
			q.RoundUp(resource.Milli)
			return q, ok
		}
	}
	return resource.Quantity{}, true
}
