package find

import (
	"fmt"
	"path/filepath"
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

func TestAProgramMayEmbedAGoTemplate(t *testing.T) {
	const imports, embed = "import \"text/template\"\n", "//go:embed größe.yaml\n"
	for _, c := range []struct {
		path, text string
		want       bool
	}{
		{"/r/a.go", imports + embed, true},
		{"/r/a.go", embed, false},
		{"/r/a.go", imports + "// " + embed, false},
		{"/r/a_test.go", imports + embed, false},
		{"/r/a.py", imports + embed, false},
	} {
		x, _ := newEditor(c.path, c.text)
		if have := x != nil && x.commands[0].isGoTemplate && x.commands[0].names["größe.yaml"] != nil; have != c.want {
			t.Errorf("%s: %q: have %v", c.path, c.text, have)
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
		p := newPlaces(Disk{})
		if have := p.reach(pathsIn("cmd "+c.path), top, "/r/m/a/web.yaml", c.by, c.isNear); have != c.want {
			t.Errorf("%s by %s: have %v", c.path, c.by, have)
		}
	}
}

func TestTheCommandsOfATextHaveALimit(t *testing.T) {
	line := "sed s/WORD_A/x/ a.yaml\n"
	for _, count := range []int{maxEdits, maxEdits + 1} {
		x, isCut := newEditor("/r/a.sh", strings.Repeat(line, count))
		if have := len(x.commands); have != maxEdits || isCut != (count > maxEdits) {
			t.Errorf("%d lines: have %d", count, have)
		}
	}
}

// What is not read because of a limit changes nothing, and is said.
func TestTheScriptsOfAFileHaveLimits(t *testing.T) {
	command, long := "sed s/BAD_A/x/ web.yaml\n", strings.Repeat("x", 1<<20)
	sized := func(dir string, last int) map[string]string { // 7 MiB, and a script of this size next to another one
		texts := map[string]string{dir + "c.sh": "#" + long[:last-1], dir + "z.sh": command}
		for i := range 7 {
			text := "sed s/BAD_B/x/ z.yaml\n"
			texts[fmt.Sprintf("m/b%d.sh", i)] = text + long[len(text):]
		}
		return texts
	}
	many := func(count int) map[string]string {
		texts := map[string]string{"m/z.sh": command}
		for i := range count {
			texts[fmt.Sprintf("m/b%03d.sh", i)] = "echo\n"
		}
		return texts
	}
	dirs := func(count int) map[string]string {
		texts := map[string]string{"z/z/run.sh": "sed s/BAD_A/x/ a/m/web.yaml\n"}
		for i := range count {
			texts[fmt.Sprintf("d%04d/", i)] = ""
		}
		return texts
	}
	// A command costs 5, its word 1 and its path 1. The paths of a text cost 1 each, of which 100 count.
	words := func(count int) map[string]string {
		return map[string]string{
			"m/a.sh": strings.Repeat("sed s/BAD_X/x/ web.yaml\n", maxEdits), "m/b.sh": strings.Repeat("sed s/BAD_X/x/ web.yaml\n", count),
			"m/z.sh": command,
		}
	}
	for _, c := range []struct {
		name    string
		texts   map[string]string
		isFound bool
		unread  string
	}{
		{"100 scripts", many(maxScripts - 1), true, ""},
		{"101 scripts", many(maxScripts), false, `"m" has more than 100 scripts and pages`},
		{"1 MiB", map[string]string{"m/z.sh": command + long[:1<<20-len(command)]}, true, ""},
		{"more than 1 MiB", map[string]string{"m/z.sh": command + long[:1<<20-len(command)+1]}, false, `"m/z.sh" has more than 1 MiB`},
		{"1,000 commands", map[string]string{"m/z.sh": strings.Repeat("sed s/BAD_X/x/ web.yaml\n", maxEdits-1) + command}, true, ""},
		{"1,001 commands", map[string]string{"m/z.sh": strings.Repeat("sed s/BAD_X/x/ web.yaml\n", maxEdits) + command}, false,
			`"m/z.sh" has more than 1,000 commands`},
		{"8 MiB in a directory", sized("m/", 1<<20-len(command)), true, ""},
		{"more than 8 MiB in a directory", sized("m/", 1<<20-len(command)+1), false, `the scripts in "m" have more than 8 MiB`},
		{"8 MiB in two directories", sized("", 1<<20-len(command)), true, ""},
		{"more than 8 MiB in two directories", sized("", 1<<20-len(command)+1), false, "the scripts near it have more than 8 MiB"},
		{"10,000 words", words(398), true, ""},
		{"more than 10,000 words", words(399), false, "the scripts are too large"},
		{"5,000 directories", dirs(maxEditDirs - 3), true, ""},
		{"5,001 directories", dirs(maxEditDirs - 2), false, "the repository has more than 5,000 directories"},
	} {
		top, name := t.TempDir(), "m/web.yaml"
		if c.texts["z/z/run.sh"] != "" {
			name = "a/m/web.yaml"
		}
		write(t, top, c.texts)
		full := filepath.Join(top, filepath.FromSlash(name))
		f := &File{Name: name, Abs: full, top: top}
		found, ok, unread := NewEdits(Disk{}).Of(f, Rejected{Text: "BAD_A", Abs: full, IsVariable: c.texts["z/z/run.sh"] != ""})
		if ok != c.isFound || ok && found.Of != "BAD_A" || unread != c.unread {
			t.Errorf("%s: have %v, %v, %q", c.name, found, ok, unread)
		}
	}
}
