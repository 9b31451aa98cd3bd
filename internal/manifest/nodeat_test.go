package manifest

import "testing"

// Each text contains a cursor and is followed by the path of the node at the cursor. A colon means that its key is
// there.
func TestTheNodeAtAnOffset(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a‸: 1\n", "a:"},
		{"‸a: 1\n", "a:"},
		{"a:‸ 1\n", "(root)"},
		{"a: ‸1\n", "a"},
		{"a: 1‸\n", "a"},
		{"a:\n  b‸c: 1\n", "a.bc:"},
		{"a:\n  bc: x‸y\n", "a.bc"},
		{"a:\n  b: 1\n‸\n  c: 1\n", "a"},
		{"a:\n- b: 1\n  c: 2\n- ‸d: 3\n", "a[1].d:"},
		{"a:\n- b: 1\n-‸ d: 3\n", "a"},
		{"a: [x,‸ y]\n", "a"},
		{"a: [x, y‸]\n", "a[1]"},
		{"a: {b: 1, c:‸ }\n", "a.c"},
		{"a: {b: 1, \"c‸\": 2}\n", "a.c:"},
		{"a:   ‸\nb: 1\n", "a"},
		{"# c‸\na: 1\n", "none"},
		{"a: 1\n\n‸\n", "none"},
		{"a: |\n  te‸xt\nb: 1\n", "a"},
		{"é: ‸ü\n", `["é"]`},
		{"a: &x\n  b: ‸1\n<<: *x\n", "a.b"},
		{"a: &x {b: 1}\nc: *‸x\n", "c"},
		{"a: 1\na‸: 2\n", "a:"},
		{"spec:\n  na‸\n  b: 1\n", "spec.na:"},
		{"spec:\n  na: \"x‸\n  b: 1\n", "spec"},
	} {
		text, cursor := withCursor(c.text)
		tree, _ := readTolerant("a.yaml", text, cursor)
		n, inKey := tree.NodeAt(cursor)
		have := "none"
		if n.Valid() {
			if have = n.Path().String(); have == "" {
				have = "(root)"
			}
		}
		if inKey {
			have += ":"
		}
		if have != c.want {
			t.Errorf("%q: have %s, want %s", c.text, have, c.want)
		}
	}
}

func TestNoValueOfADefaultIsAtAnOffset(t *testing.T) {
	root := readFirst(t, "a: null\n")
	a, _ := root.Field("a")
	a.ReplaceByDefault(readFirst(t, "b: {c: 1}\n"))
	root.AddDefault("z", readFirst(t, "b: 1\n"))
	for offset, want := range map[int]string{0: "a", 1: "a", 3: "", 5: ""} {
		if n, _ := root.tree.NodeAt(offset); n.Path().String() != want {
			t.Errorf("at %d: have %q, want %q", offset, n.Path(), want)
		}
	}
	if n, _ := (&Tree{}).NodeAt(0); n.Valid() {
		t.Error("an empty tree has a node")
	}
}
