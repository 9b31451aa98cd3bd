package find

import (
	"path/filepath"
	"strconv"
	"testing"
)

// A path means the file that it names from the directory of its text or from the top, if there is one. Otherwise a command may have
// changed the directory.
func TestAPathMeansTheFileThatExists(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{
		"a/größe/web.yaml": "", "b/größe/web.yaml": "", "b/größe/x.yaml": "", "c/größe/": "", "b/größe/run.sh": "", "größe/top.yaml": "",
		"c/größe/top.yaml": "",
	})
	full := filepath.Join(top, "a", "größe", "web.yaml")
	for _, c := range []struct {
		name, by string
		want     bool
	}{
		{"web.yaml", "b/größe/run.sh", true},
		{"./web.yaml", "b/größe/run.sh", true},
		{"größe/web.yaml", "b/run.sh", true},
		{"b/größe/web.yaml", "x/y/run.sh", true},
		{"../../b/größe/web.yaml", "x/y/run.sh", true},
		{"a/größe/web.yaml", "b/run.sh", false},
		{"../a/größe/web.yaml", "b/run.sh", false},
		{"web.yaml", "a/größe/run.sh", false},
		{"web.yaml", "run.sh", false}, // a command may have changed the directory
		{"größe/web.yaml", "run.sh", false},
		{"other/größe/web.yaml", "run.sh", false},
		{"../../outside/web.yaml", "run.sh", false},
		{"$DIR/größe/web.yaml", "b/run.sh", false},
		{"b/*/web.yaml", "run.sh", false},
	} {
		p := newPlaces(Disk{})
		for range 2 { // the second answer is the same
			if have := p.isAnother(top, filepath.Join(top, filepath.FromSlash(c.by)), c.name, full); have != c.want {
				t.Errorf("%s in %s: have %v", c.name, c.by, have)
			}
		}
	}
	p := newPlaces(Disk{})
	for i := range maxPlaces {
		p.exists[strconv.Itoa(i)] = true
	}
	if p.has(full+"x") || !p.has(full) || len(p.exists) != 2 {
		t.Errorf("%d places are kept", len(p.exists))
	}
}

// Every question about a path in a text looks at the file that exists.
func TestAScriptOfAnotherDirectoryChangesNothing(t *testing.T) {
	for name, texts := range map[string]map[string]string{
		"next to its own":    {"b/run.sh": "sed -i s/__PORT__/80/ web.yaml", "a/web.yaml": "", "b/web.yaml": ""},
		"in a directory":     {"b/run.sh": "sed -i s/__PORT__/80/ base/web.yaml", "a/base/web.yaml": "", "b/base/web.yaml": ""},
		"from the top":       {"x/y/run.sh": "sed -i s/__PORT__/80/ b/m/k/web.yaml", "a/m/k/web.yaml": "", "b/m/k/web.yaml": ""},
		"after cd":           {"run.sh": "cd b\nsed s/__PORT__/80/ k/x/m/web.yaml", "a/s/x/m/web.yaml": "", "b/k/x/m/web.yaml": ""},
		"all of a directory": {"scripts/run.sh": "sed -i s/__PORT__/80/ b/m/*.yaml", "a/m/web.yaml": "", "b/m/web.yaml": ""},
		"the directory":      {"scripts/run.sh": "kubectl kustomize b/m | sed s/__PORT__/80/", "a/m/web.yaml": "", "b/m/web.yaml": ""},
	} {
		top := t.TempDir()
		write(t, top, texts)
		for file := range texts {
			if filepath.Base(file) != "web.yaml" {
				continue
			}
			full := filepath.Join(top, filepath.FromSlash(file))
			f := &File{Name: file, Abs: full, top: top}
			_, have, unread := NewEdits(Disk{}).Of(f, Rejected{Text: "__PORT__", Abs: full, IsVariable: true})
			if want := file[0] == 'b'; have != want || unread != "" {
				t.Errorf("%s: %s: have %v, %q", name, file, have, unread)
			}
		}
	}
	texts := map[string]string{
		"hack/run.sh":       "envsubst < b/m/web.tmpl.yaml > b/m/all.yaml\nkustomize build b/m > chart/templates/all.yaml",
		"a/m/web.tmpl.yaml": "", "b/m/web.tmpl.yaml": "",
	}
	for _, dir := range []string{"a/m", "b/m"} {
		top := t.TempDir()
		write(t, top, texts)
		at := filepath.Join(top, filepath.FromSlash(dir))
		f := &File{Name: dir + "/web.tmpl.yaml", Abs: filepath.Join(at, "web.tmpl.yaml"), top: top}
		s, want := NewScripts(Disk{}), dir == "b/m"
		_, isTemplate := s.TemplateOf(f)
		_, isWritten := s.WriterOf(f, filepath.Join(at, "all.yaml"))
		_, isMade := s.TemplateMaker(f, filepath.Join(at, "kustomization.yaml"))
		if isTemplate != want || isWritten != want || isMade != want {
			t.Errorf("%s: have %v, %v, %v", dir, isTemplate, isWritten, isMade)
		}
	}
}
