package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Of random Pods whose lists repeat merge keys, kubectl apply makes the objects that kindvet validates, up to the
// order of items.
func TestRepeatedItemsAreMergedAsKubectlDoes(t *testing.T) {
	pod, _, ok := catalog.Embedded().Lookup("", "v1", "Pod")
	if !ok {
		t.Fatal("no kind Pod")
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 0))
	merged, failed := 0, 0
	for range 5000 {
		old, now := randomPod(r), randomPod(r)
		before := readObject(t, old)
		pod.Prepare(before)
		live, err := json.Marshal(decoded(t, before, false))
		if err != nil {
			t.Fatal(err)
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch([]byte(old), []byte(now), live, meta, true)
		if err == nil {
			patch, err = strategicpatch.StrategicMergePatchUsingLookupPatchMeta(live, patch, meta)
		}
		// A patch cannot state the order of repeated items with others between them, and directives of a patch remain below
		// an item that replaces deleted ones.
		if err != nil || strings.Contains(string(patch), `"$`) {
			failed++
			continue
		}
		theirs := readObject(t, string(patch))
		pod.Prepare(theirs)
		ours := readObject(t, now)
		pod.Check(ours, before)
		have, want := decoded(t, ours, true), decoded(t, theirs, true)
		if !reflect.DeepEqual(have, want) {
			t.Fatalf("old %s\nnew %s\nhave %v\nwant %v", old, now, have, want)
		}
		merged++
	}
	if merged < 2000 {
		t.Errorf("only %d of 5000 updates are merged, and %d cannot be sent", merged, failed)
	}
}

// randomPod returns a Pod in JSON.
func randomPod(r *rand.Rand) string {
	items := func(most int, item func() string) string {
		var all []string
		for range r.IntN(most) {
			all = append(all, "{"+item()+"}")
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	maybe := func(field string, values ...string) string {
		if r.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf(`, %q: %s`, field, values[r.IntN(len(values))])
	}
	env := func() string {
		return `"name": ` + pickText(r, `"A"`, `"B"`) + maybe("value", `"1"`, `"2"`) +
			maybe("valueFrom", `{"fieldRef": {"fieldPath": "spec.nodeName"}}`, `{"secretKeyRef": {"key": "k"}}`)
	}
	container := func() string {
		return `"name": ` + pickText(r, `"a"`, `"b"`) + maybe("image", `"x"`, `"y"`) + maybe("args", `["a"]`, `["b"]`) +
			`, "env": ` + items(4, env) +
			`, "ports": ` + items(3, func() string {
			return `"containerPort": ` + pickText(r, "80", "81") + maybe("protocol", `"UDP"`, `"TCP"`) + maybe("name", `"p"`, `"q"`)
		})
	}
	volume := func() string {
		return `"name": ` + pickText(r, `"v"`, `"w"`) + maybe("emptyDir", `{}`, `{"medium": "Memory"}`) +
			maybe("hostPath", `{"path": "/a"}`, `{"path": "/b", "type": "File"}`)
	}
	return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": ` +
		items(5, container) + `, "volumes": ` + items(5, volume) +
		maybe("imagePullSecrets", `[{"name": "a"}]`, `[{"name": "a"}, {"name": "a"}]`, `[{"name": "b"}]`) + "}}"
}

func readObject(t *testing.T, text string) manifest.Node {
	src, tree := &source.Source{Name: "a.json", Text: text}, &manifest.Tree{}
	for part := range manifest.Parts(src) {
		if violations := tree.Read(src, part); len(violations) > 0 {
			t.Fatal(violations[0].Message)
		}
	}
	return tree.Root()
}

// decoded returns an object without empty lists that a server does not write. It may sort the other lists.
func decoded(t *testing.T, n manifest.Node, sorted bool) any {
	var object any
	if err := json.Unmarshal(n.AppendJSON(nil), &object); err != nil {
		t.Fatal(err)
	}
	var edit func(v any)
	edit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, below := range v {
				edit(below)
				if list, ok := below.([]any); ok && len(list) == 0 {
					delete(v, key)
				}
			}
		case []any:
			for _, below := range v {
				edit(below)
			}
			if sorted {
				slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
	}
	edit(object)
	return object
}

func pickText(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }
