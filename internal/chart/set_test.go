package chart

import (
	"testing"

	"github.com/kindvet/kindvet/internal/source"
)

func TestValuesAreSetAsByHelm(t *testing.T) {
	for text, want := range map[string]string{
		"a=1":              `{"a":1}`,
		"a=01,b=true":      `{"a":"01","b":true}`,
		"a=null":           `{"a":null}`,
		"a.b.c=x":          `{"a":{"b":{"c":"x"}}}`,
		"a={x,2},b=":       `{"a":["x",2],"b":""}`,
		"a={}":             `{"a":[]}`,
		"a[1].b=x":         `{"a":[null,{"b":"x"}]}`,
		"a[0][1]=x":        `{"a":[[null,"x"]]}`,
		`a\.b=x\,y`:        `{"a.b":"x,y"}`,
		"a=b=c":            `{"a":"b=c"}`,
		"a.b=1,a.c=2,a=3":  `{"a":3}`,
		"a=1.5,b=-1,c=1e3": `{"a":"1.5","b":-1,"c":"1e3"}`,
	} {
		var values Values
		if err := values.Set("--set", text, false); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if have := jsonOf(values.merged()); have != want {
			t.Errorf("%s: have %s, want %s", text, have, want)
		}
	}
	var values Values
	if err := values.Set("--set-string", "a=1,b={true,x}", true); err != nil ||
		jsonOf(values.merged()) != `{"a":"1","b":["true","x"]}` {
		t.Errorf("as strings: have %s, %v", jsonOf(values.merged()), err)
	}
	for _, text := range []string{"a", "=1", "a[x]=1", "a[99999]=1", "a[0=1", "a[0]b=1", ".a=1"} {
		if err := new(Values).Set("--set", text, false); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

func TestALaterFileOfValuesWins(t *testing.T) {
	var values Values
	for _, text := range []string{"a: {b: 1, c: 2}\nd: [1, 2]\n", "a: {b: 3, e: null}\nd: [3]\n"} {
		if err := values.AddFile(&source.Source{Name: "values.yaml", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if have, want := jsonOf(values.merged()), `{"a":{"b":3,"c":2,"e":null},"d":[3]}`; have != want {
		t.Errorf("have %s, want %s", have, want)
	}
	if err := values.AddFile(&source.Source{Name: "v.yaml", Text: "a: ["}); err == nil {
		t.Error("invalid YAML: no error")
	}
}
