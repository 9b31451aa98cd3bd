package cel

import "testing"

// A syntax error says what was expected, not each of up to twenty tokens.
func TestASyntaxErrorListsFewTokens(t *testing.T) {
	for text, want := range map[string]string{
		"self >":         "Syntax error: mismatched input '<EOF>' expecting an expression",
		"self && && 1":   "Syntax error: extraneous input '&&' expecting an expression",
		"self.all(x, )":  "Syntax error: mismatched input ')' expecting an expression",
		"{1: 2":          "Syntax error: mismatched input '<EOF>' expecting {'}', ','}",
		"self ? 1":       "Syntax error: mismatched input '<EOF>' expecting ':'",
		"self == 'ö' +.": "Syntax error: no viable alternative at input '.'",
	} {
		_, faults := Check(text, Signature{Environment: NewEnvironment(Variable{Name: "self", Type: Dyn()})})
		if len(faults) == 0 || faults[0].Message != want {
			t.Errorf("%s: have %v, want %s", text, faults, want)
		}
	}
}

func TestAListOfTokensIsShortened(t *testing.T) {
	for have, want := range map[string]string{
		"x expecting {'a', 'b', 'c', 'd', 'e'}":          "x expecting {'a', 'b', 'c', 'd', 'e'}",
		"x expecting {'a', 'b', 'c', 'd', 'e', 'f'}":     "x expecting one of 'a', 'b', 'c', 'd', 'e' and 1 more",
		"x expecting {'==', '!=', 'in', '<', '<=', '+'}": "x expecting an operator",
		"expecting {": "expecting {",
	} {
		if got := shortened(have); got != want {
			t.Errorf("%s: have %s, want %s", have, got, want)
		}
	}
}
