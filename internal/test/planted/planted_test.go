package planted

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 3
  paused: false
  strategy: {type: Recreate}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1.0", args: ["a\n b\n"], ports: [{containerPort: 80, protocol: TCP}]}]}
`

// In every style, the text without faults has the values of the object.
func TestStylesHaveTheSameValues(t *testing.T) {
	object, ok := Read(deployment)
	if !ok {
		t.Fatal("no object")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		s := drawStyle(r)
		s.before, s.after = nil, nil
		written := write(object, s)
		if have, ok := Read(written.text); !ok || !reflect.DeepEqual(have, object) {
			t.Fatalf("[%s] %q", s, written.text)
		}
	}
}

// Every kind of fault is planted, and a text says which of its faults are fixed.
func TestFaultsOfATextAreTold(t *testing.T) {
	object, _ := Read(deployment)
	r := rand.New(rand.NewPCG(2, 2))
	planted := map[string]bool{}
	for range 3000 {
		c, ok := Draw(r, object, true)
		if !ok {
			continue
		}
		all, none := make([]bool, len(c.Faults)), make([]bool, len(c.Faults))
		for i, f := range c.Faults {
			planted[f.Kind], all[i] = true, true
		}
		if have, ok := c.Fixed(c.Want); !ok || !slices.Equal(have, all) {
			t.Fatalf("%v: have %v %v of %q", c.Faults, have, ok, c.Want)
		}
		if have, ok := c.Fixed(c.Bad); !ok || !slices.Equal(have, none) {
			t.Fatalf("%v: have %v %v of %q", c.Faults, have, ok, c.Bad)
		}
		if _, ok := c.Fixed(c.Want + " "); ok {
			t.Fatal("another text")
		}
	}
	for _, k := range kinds {
		if !planted[k.name] {
			t.Errorf("no %s", k.name)
		}
	}
}
