package closure

import "testing"

func TestEncodedExpressionsAreRead(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `i-1`, `u1`, `d1.5`, `dNaN`, `s"a \"b\" c"`, `b"\xff "`, `v self`, `t int`, `. a v self`, `? a v self`, `c f - 0`,
		`c f o 2 v a v b`, `l 2 v a o v b`, `m 1 s"k" i1`, `m 1 o s"k" i1`, `f i - @result v self true true true v @result`,
	} {
		if _, err := decode(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{``, `v`, `c f o 2 v a`, `l 1`, `s"a`, `i1 i1`, `x`, `i1x`, `l -1`, `l 99999999999`, `c f o 9 v a`} {
		if _, err := decode(text); err == nil {
			t.Errorf("%q is taken for an expression", text)
		}
	}
}
