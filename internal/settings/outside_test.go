package settings

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/find"
)

// outsideFiles are files of which "in" is the repository. The directories words and rules outside it have as many
// entries.
func outsideFiles(words, rules int) map[string]string {
	const rule = "id: demo/r%d\ntitle: no word\nseverity: warning\nkinds: [Word.lab.example.com]\n" +
		"each: word\ncheck: self == 'c'\nmessage: not c\n"
	files := map[string]string{"in/.git/HEAD": "", "words/deep/x.txt": ""}
	for i := range words - 2 {
		files[fmt.Sprintf("words/w%d.yaml", i)] = fmt.Sprintf(crd, "word")
	}
	for i := range rules {
		files[fmt.Sprintf("rules/r%d.yaml", i)] = fmt.Sprintf(rule, i)
	}
	return files
}

// settingsOf returns the error of the settings for configurations in the repository.
func settingsOf(w directory, limits outsideLimits, configurations ...string) error {
	w.Helper()
	e := NewResolver(find.OnDisk(w.at("in")), Options{})
	e.limits = limits
	for i, text := range configurations {
		name := fmt.Sprintf("c%d.yaml", i)
		w.write(filepath.Join("in", name), text)
		c, err := find.NewLoader(find.OnDisk(w.at("in"))).Load(name)
		if err == nil {
			_, err = e.Resolve(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestConfigurationsReadOutsideTheRepositoryUpToALimit(t *testing.T) {
	const schemas, rules = "schemas: [../words]\n", "rules: [../rules]\n"
	const both = schemas + rules
	size := len(fmt.Sprintf(crd, "word"))
	many := amount{1000, 1 << 20}
	for _, test := range []struct {
		name           string
		limits         outsideLimits
		configurations []string
		want           string // the start of the error
	}{
		{"entries", outsideLimits{amount{3, 1 << 20}, many}, []string{both}, ""},
		{"too many entries", outsideLimits{amount{2, 1 << 20}, many}, []string{schemas},
			"c0.yaml:1:11: ../words: more than 2 files and directories or 1 MiB outside the repository; name"},
		{"too many rules", outsideLimits{amount{1, 1 << 20}, many}, []string{rules},
			"c0.yaml:1:9: ../rules: more than 1 files"},
		{"bytes", outsideLimits{amount{1000, size}, many}, []string{schemas}, ""},
		{"too many bytes", outsideLimits{amount{1000, size - 1}, many}, []string{schemas},
			"c0.yaml:1:11: ../words: more than 1000 files"},
		{"a run", outsideLimits{many, amount{5, 1 << 20}}, []string{schemas, schemas, both}, ""},
		{"a run with too many entries", outsideLimits{many, amount{4, 1 << 20}}, []string{schemas, schemas, both},
			"c2.yaml:2:9: ../rules: the configurations of this run name more than 4 files and directories"},
		{"inside", outsideLimits{}, []string{"schemas: [own.yaml]\n"}, ""},
	} {
		w := open(t, outsideFiles(3, 2))
		w.write("in/own.yaml", fmt.Sprintf(crd, "word"))
		err := settingsOf(w, test.limits, test.configurations...)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%s: have %v, want %q", test.name, err, test.want)
		}
	}
}

func TestWhatAnEarlierResolverReadDoesNotCount(t *testing.T) {
	w := open(t, outsideFiles(3, 0))
	w.write("in/c.yaml", "schemas: [../words]\n")
	for _, isSame := range []bool{true, false} {
		var earlier *Resolver
		for range 3 {
			e := NewResolver(find.OnDisk(w.at("in")), Options{})
			e.limits = outsideLimits{amount{3, 1 << 20}, amount{3, 1 << 20}}
			e.After(earlier, func() (find.Tree, func() bool) { return find.Disk{}, func() bool { return isSame } })
			c, err := find.NewLoader(find.OnDisk(w.at("in"))).Load("c.yaml")
			if err == nil {
				_, err = e.Resolve(c)
			}
			if err != nil {
				t.Fatal(err)
			}
			earlier = e
		}
	}
}
