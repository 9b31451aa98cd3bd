package find

import (
	"slices"
	"strings"
	"testing"
)

func TestACommandTellsWhatItReplaces(t *testing.T) {
	for _, c := range []struct {
		command, words, fields, variables string
	}{
		{`sed -e "s/service_name/$name/" -e 's|__ÖRT__|x|g' a.yaml`, "service_name __ÖRT__", "", ""},
		{`sed 's#a\.b#x#; s/{{HOST}}/y/' a.yaml`, "a.b {{HOST}}", "", ""},
		{`sed -i "s/host: .*/host: x/" a.yaml`, "", ".host", ""},
		{`sed "s/[a-z]*/x/;s/open/" a.yaml`, "", "", ""},
		{`perl -pi -e 's/NAME/x/' a.yaml`, "NAME", "", ""},
		{`yq -i '.spec.host = env(H) | .a == 1' a.yaml`, "", "spec.host", ""},
		{`envsubst < a.yaml`, "", "", "*"},
		{`envsubst '$A,${B}' < a.yaml`, "", "", "A B"},
		{`text = text.replace("@A@", a)`, "@A@", "", ""},
		{`strings.ReplaceAll(s, "__A__", a)`, "__A__", "", ""},
		{`echo "${text//HOST_NAME/x}"`, "HOST_NAME", "", ""},
		{`based on a.yaml`, "", "", ""},
	} {
		e := readCommand(c.command, false)
		variables := strings.Join(e.variables, " ")
		if slices.Equal(e.variables, []string{""}) {
			variables = "*"
		}
		words, fields := strings.Join(e.words, " "), strings.Join(e.fields, " ")
		if words != c.words || fields != c.fields || variables != c.variables {
			t.Errorf("%s: have %q, %q, %q", c.command, words, fields, variables)
		}
	}
}

func TestAPageMayTellToReplaceAWord(t *testing.T) {
	for sentence, want := range map[string]string{
		"Replace the word TIMESTAMP with an actual one.": "TIMESTAMP",
		"Change `<node-hostname>` first.":                "<node-hostname>",
		"Replace Deployment by StatefulSet.":             "",
	} {
		if have := strings.Join(readCommand(sentence, true).words, " "); have != want {
			t.Errorf("%s: have %q", sentence, have)
		}
	}
}

func TestOnlyACommandThatReachesAFileChangesIt(t *testing.T) {
	const top = "/r"
	for _, c := range []struct {
		path, by string
		isNear   bool
		want     bool
	}{
		{"web.yaml", "/r/a/run.sh", true, true},
		{"web.yaml", "/r/b/run.sh", false, false},
		{"a/web.yaml", "/r/run.sh", true, true},
		{"b/web.yaml", "/r/run.sh", true, false},
		{"$DIR/web.yaml", "/r/run.sh", true, true},
		{"*.yaml", "/r/m/a/run.sh", true, true},
		{"*.yaml", "/r/run.sh", true, false},
		{"a/*.yaml", "/r/run.sh", true, true},
		{"~/x/m/a", "/r/docs/page.md", false, true},
		{"~/x/n/a", "/r/docs/page.md", false, false},
		{"other/a", "/r/docs/page.md", false, false},
	} {
		if have := reaches(pathsIn("cmd "+c.path), top, "/r/m/a/web.yaml", c.by, c.isNear); have != c.want {
			t.Errorf("%s by %s: have %v", c.path, c.by, have)
		}
	}
}

func TestTheCommandsOfATextHaveALimit(t *testing.T) {
	line := "sed s/WORD_A/x/ a.yaml\n"
	for _, count := range []int{maxEdits, maxEdits + 1} {
		if have := len(newEditor("/r/a.sh", strings.Repeat(line, count)).commands); have != maxEdits {
			t.Errorf("%d lines: have %d", count, have)
		}
	}
}
