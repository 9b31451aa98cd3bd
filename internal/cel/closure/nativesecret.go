package closure

import (
	"bytes"
	"encoding/base64"
	"maps"

	"github.com/kindvet/kindvet/internal/manifest"
)

// sameData(a, b) reports whether a Secret a has the same data as the Secret b that it replaces. stringData overrides
// data, and stays when it is left out (k8s.io/kubernetes, pkg/apis/core/v1, Convert_v1_Secret_To_core_Secret).
func sameData(f *Frame, args []value) value {
	if args[0].kind != kindObject || args[1].kind != kindObject {
		return value{}
	}
	after, before := args[0].node, args[1].node
	live := map[string][]byte{}
	f.addData(live, before)
	updated := maps.Clone(live)
	for n := range before.At("data").Children() {
		delete(updated, n.Key())
	}
	f.addData(updated, after)
	return booleanOf(maps.EqualFunc(updated, live, bytes.Equal))
}

// addData adds the values in a Secret.
func (f *Frame) addData(data map[string][]byte, secret manifest.Node) {
	for n := range secret.At("data").Children() {
		f.spend(1 + len(n.Text())/8)
		text, _ := base64.StdEncoding.DecodeString(n.Text()) // it is valid base64
		data[n.Key()] = text
	}
	for n := range secret.At("stringData").Children() {
		f.spend(1 + len(n.Text())/8)
		data[n.Key()] = []byte(n.Text())
	}
}
