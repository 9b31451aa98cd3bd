package closure

import "testing"

func TestEncodedExpressionsAreRead(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `i-1`, `u1`, `d1.5`, `dNaN`, `s"a \"b\" c"`, `b"\xff "`, `v self`, `t int`, `. a v self`,
		`? a v self`, `c f - 0`,
		`c f o 2 v a v b`, `l 2 v a o v b`, `m 1 s"k" i1`, `m 1 o s"k" i1`, `f i - @result v self true true true v @result`,
	} {
		tree, err := Tree(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, err := Encode(tree); again != text || err != nil {
			t.Errorf("%s: have %s, %v", text, again, err)
		}
		for i, e := range Expressions(tree) {
			if e.ID() != int64(i+1) {
				t.Errorf("%s: expression %d has the id %d", text, i+1, e.ID())
			}
		}
	}
	for _, text := range []string{
		``, `v`, `c f o 2 v a`, `l 1`, `s"a`, `i1 i1`, `x`, `i1x`, `l -1`, `l 99999999999`, `c f o 9 v a`,
	} {
		if _, err := decode(text); err == nil {
			t.Errorf("%q is taken for an expression", text)
		}
	}
}
