package native

import (
	"bytes"
	"encoding/base64"
	"maps"

	"github.com/kindvet/kindvet/internal/manifest"
)

// sameData(a, b) reports whether a Secret a has the same data as the Secret b that it replaces. stringData overrides
// data, and stays when it is left out (k8s.io/kubernetes, pkg/apis/core/v1, Convert_v1_Secret_To_core_Secret).
func sameData(m *Meter, args []Value) Value {
	if args[0].Kind != Object || args[1].Kind != Object {
		return Value{}
	}
	after, before := args[0].Node, args[1].Node
	live := map[string][]byte{}
	m.addData(live, before)
	updated := maps.Clone(live)
	for n := range before.At("data").Children() {
		delete(updated, n.Key())
	}
	m.addData(updated, after)
	return Bool(maps.EqualFunc(updated, live, bytes.Equal))
}

// addData adds the values in a Secret.
func (m *Meter) addData(data map[string][]byte, secret manifest.Node) {
	for n := range secret.At("data").Children() {
		m.spend(1 + len(n.Text())/8)
		text, _ := base64.StdEncoding.DecodeString(n.Text()) // it is valid base64
		data[n.Key()] = text
	}
	for n := range secret.At("stringData").Children() {
		m.spend(1 + len(n.Text())/8)
		data[n.Key()] = []byte(n.Text())
	}
}
