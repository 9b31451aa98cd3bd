package find

import (
	"strings"
	"testing"
)

func TestAScriptSaysWhetherAFileIsATemplate(t *testing.T) {
	for text, want := range map[string]scriptUse{
		"": notUsed, "see web.tmpl.yaml": notUsed,
		"envsubst < web.tmpl.yaml":                                          madeFrom,
		"sed s/a/b/ apps/größe/web.tmpl.yaml":                               madeFrom,
		"sed s/a/b/ apps/other/web.tmpl.yaml":                               notUsed,
		"sed s/a/b/ \\\n  ./web.tmpl.yaml":                                  madeFrom,
		"sed s/a/b/\n./web.tmpl.yaml":                                       notUsed,
		"sed s/a/b/ my-web.tmpl.yaml":                                       notUsed,
		`cp "$dir/web.tmpl.yaml" a`:                                         madeFrom,
		"cat web.tmpl.yaml | envsubst":                                      madeFrom,
		"cat web.tmpl.yaml":                                                 notUsed,
		"kubectl apply -f web.tmpl.yaml":                                    appliedAsIs,
		"kubectl apply --filename=größe/web.tmpl.yaml":                      appliedAsIs,
		"kubectl apply -f - < web.tmpl.yaml":                                notUsed,
		"envsubst < web.tmpl.yaml | kubectl apply -f -":                     madeFrom,
		"kubectl apply -f a.yaml && envsubst < web.tmpl.yaml":               madeFrom,
		"sed -i s/a/b/ web.tmpl.yaml\nkubectl create -f web.tmpl.yaml":      appliedAsIs,
		"sed " + strings.Repeat(" ", longestCommand) + "web.tmpl.yaml":      notUsed,
		"sed " + strings.Repeat(" ", longestCommand-4-1) + " web.tmpl.yaml": madeFrom,
	} {
		if have := useIn(text, "/repo/größe/web.tmpl.yaml"); have != want {
			t.Errorf("%q: have %d, want %d", text, have, want)
		}
	}
	for name, want := range map[string]bool{
		"web.template.yaml": true, "web-tmpl.yml": true, "template.yaml": false, "web.yaml": false, "a.in.yaml": true,
		"templates.yaml": false, "web.TPL.yaml": false, "template-web.yaml": false,
	} {
		if have := isTemplateName(name); have != want {
			t.Errorf("%s: have %t", name, have)
		}
	}
}
