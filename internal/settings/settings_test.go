package settings

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/find"
	"github.com/kindvet/kindvet/internal/lint/rule"
)

const longWord = `id: demo/long-word
title: long word
severity: warning
kinds: [Word.lab.example.com]
each: word
params: {most: 5}
check: self.size() <= params.most
message: long word
why: It is long.
`

// Directories whose configurations differ in one setting have the verdicts of their own, in either order.
func TestDirectoriesAreCheckedWithTheirOwnSettings(t *testing.T) {
	const removed = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: a}\n"
	const wordy = "apiVersion: lab.example.com/v1\nkind: Word\nmetadata: {name: a}\nword: seven77\n"
	wide := strings.Replace(fmt.Sprintf(params, "internal"), "internal}", "internal, inboundCIDRs: [0.0.0.0/0]}", 1)
	const alone = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {app: a}}\n"
	words := map[string]string{"crds/word.yaml": fmt.Sprintf(crd, "word"), "rule.yaml": longWord}
	for name, c := range map[string]struct {
		text           string
		one, two       map[string]string // files
		oneHas, twoHas string
	}{
		"kubernetesVersion": {
			removed, configured("kubernetesVersion: \"1.31\""), configured("kubernetesVersion: \"1.32\""),
			"deprecated-version:warning", "deprecated-version:error",
		},
		"severity": {
			wordy, configured("severity: {demo/long-word: info}", words), configured("severity: {demo/long-word: error}", words),
			"demo/long-word:info", "demo/long-word:error",
		},
		"params": {
			wordy, configured("params: {demo/long-word: {most: 7}}", words), configured("params: {demo/long-word: {most: 6}}", words),
			"", "demo/long-word:warning",
		},
		"severity of a built-in rule": {
			wide, configured("severity: {ingress/open-inbound-cidr: info}"),
			configured("severity: {ingress/open-inbound-cidr: error}"),
			"ingress/open-inbound-cidr:info", "ingress/open-inbound-cidr:error",
		},
		"params of a built-in rule": {
			alone, configured("params: {metadata/missing-label: {labels: [app]}}\nenable: [metadata/missing-label]"),
			configured("params: {metadata/missing-label: {labels: [team]}}\nenable: [metadata/missing-label]"),
			"", "metadata/missing-label:warning",
		},
		"disable": {
			wordy, configured("disable: [demo/long-word]", words), configured("", words), "", "demo/long-word:warning",
		},
		"profile": {
			wide, configured("profile: schema"), configured("profile: recommended"), "", "ingress/open-inbound-cidr:warning",
		},
		"schemas": {
			word, configured("", words),
			configured("", map[string]string{"crds/word.yaml": fmt.Sprintf(crd, "other"), "rule.yaml": longWord}),
			"", "unknown-field:error",
		},
		"stored schemas": {word, stored("word"), stored("other"), "", "unknown-field:error"},
		"unknownKinds": {
			strings.ReplaceAll(wordy, "lab.example", "none.example"), configured("unknownKinds: skip"), configured("unknownKinds: error"),
			"", "unknown-group:error",
		},
	} {
		for _, order := range [][]string{{"one", "two"}, {"two", "one"}} {
			files := map[string]string{"one/a.yaml": c.text, "two/a.yaml": c.text}
			for file, text := range c.one {
				files["one/"+file] = text
			}
			for file, text := range c.two {
				files["two/"+file] = text
			}
			w := open(t, files)
			for _, dir := range order {
				report, err := w.Check(w.at(dir+"/a.yaml"), today)
				if err != nil {
					t.Fatal(name, err)
				}
				var have []string
				for _, v := range report.Violations {
					have = append(have, string(v.Rule)+":"+v.Severity.String())
				}
				if want := map[string]string{"one": c.oneHas, "two": c.twoHas}[dir]; strings.Join(have, " ") != want {
					t.Errorf("%s: %s has %q, want %q", name, dir, have, want)
				}
			}
		}
	}
}

// configured returns files with a configuration that has a line, and uses the schemas and rule if there are any.
func configured(line string, files ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, of := range files {
		maps.Copy(all, of)
	}
	all[".kindvet.yaml"] = line + "\n"
	if len(all) > 1 {
		all[".kindvet.yaml"] += "schemas: [crds]\nrules: [rule.yaml]\n"
	}
	return all
}

// stored returns files with a CRD that the directory keeps.
func stored(field string) map[string]string {
	text := fmt.Sprintf(crd, field)
	return map[string]string{
		".kindvet.yaml": "profile: schema\n", ".kindvet/schemas/lab.example.com/words.yaml": text,
		".kindvet/schemas.lock": fmt.Sprintf("version: 1\nsources:\n- source: test\n  files:\n"+
			"    lab.example.com/words.yaml: sha256:%x\n", sha256.Sum256([]byte(text))),
	}
}

// What a command line sets wins over the configuration.
func TestOptionsWinOverTheConfiguration(t *testing.T) {
	w := open(t, map[string]string{
		".kindvet.yaml": "profile: schema\nseverity: {ingress/open-inbound-cidr: info}\n",
		"a.yaml":        strings.Replace(fmt.Sprintf(params, "internal"), "internal}", "internal, inboundCIDRs: [0.0.0.0/0]}", 1),
	})
	w.want("the profile of the configuration", "a.yaml", "")
	w.Resolver = NewResolver(find.OnDisk(w.root), Options{
		ProfileGiven: true,
		Lint: rule.Options{
			Profile: "recommended", Severity: []rule.Override{{Name: "ingress/open-inbound-cidr", Severity: diag.Error}},
		},
	})
	report, err := w.Check(w.at("a.yaml"), today)
	if err != nil || len(report.Violations) != 1 || report.Violations[0].Severity != diag.Error {
		t.Errorf("have %+v, %v", report.Violations, err)
	}
}

// An editor runs for days: a rule that its file no longer has is unknown later.
func TestRulesThatWereRemovedAreForgotten(t *testing.T) {
	files := configured("", map[string]string{"crds/word.yaml": fmt.Sprintf(crd, "word"), "rule.yaml": longWord})
	files["a.yaml"] = strings.Replace(word, "word: b", "word: longer # kindvet:ignore[demo/long-word] agreed", 1)
	w := open(t, files)
	w.record(nil)
	w.want("at first", "a.yaml", "")
	w.write("rule.yaml", strings.Replace(longWord, "demo/long-word", "demo/lengthy", 1))
	w.later(true)
	w.want("as before", "a.yaml", "")
	w.later(false)
	w.want("with another rule", "a.yaml", "demo/lengthy suppression-unknown-rule")
}

// later makes the resolver one of a later state of the files. If isSame is set, everything that was read is the same.
func (w *directory) later(isSame bool) {
	earlier := w.Resolver
	w.Resolver = NewResolver(find.OnDisk(w.root), earlier.options)
	w.isSame = isSame
	w.record(earlier)
}

// record makes the resolver record what it reads.
func (w *directory) record(earlier *Resolver) {
	w.After(earlier, func() (find.Tree, func() bool) { return find.Disk{}, func() bool { return w.isSame } })
}

// A catalog is used again as long as what it was read from is the same.
func TestACatalogIsUsedAgain(t *testing.T) {
	w := open(t, map[string]string{
		".kindvet.yaml": "profile: schema\nschemas: [crds]\n", "crds/word.yaml": fmt.Sprintf(crd, "word"), "a.yaml": word,
	})
	w.record(nil)
	w.want("at first", "a.yaml", "")
	w.write("crds/word.yaml", fmt.Sprintf(crd, "term"))
	w.later(true)
	w.want("as before", "a.yaml", "")
	w.later(false)
	w.want("with another catalog", "a.yaml", "unknown-field")
}

// What was made of a directory is affected by the files in it and in the directories that were listed, or that are gone.
func TestSettingsAreAffectedByTheFilesOfTheirDirectories(t *testing.T) {
	w := open(t, map[string]string{
		".kindvet.yaml": "schemas: [crds]\n", "crds/word.yaml": fmt.Sprintf(crd, "word"), "crds/sub/none.txt": "", "a.yaml": word,
		"other/a.yaml": "",
	})
	finder, err := find.New(find.Options{Base: find.OnDisk(w.root)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := finder.ConfigAt(w.root)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := w.Resolve(c)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"crds/word.yaml": true, "crds/other.yaml": true, "crds/sub/b.yaml": true, "crds/gone/b.yaml": true, "crds/gone/deep/b.yaml": true,
		"a.yaml": false, "other/a.yaml": false, "crds": true, "crds2/b.yaml": false,
	} {
		if have := resolved.IsAffected([]string{w.at(name)}, func(string) bool { return false }); have != want {
			t.Errorf("%s: have %t", name, have)
		}
	}
}

// A file that several configurations share does not hide what is wrong in one of them.
func TestEachConfigurationIsWarnedAboutItsDeprecatedKeys(t *testing.T) {
	const old = "names: {members: {}}\n"
	w := open(t, map[string]string{
		"one/.kindvet.yaml": old, "one/a.yaml": word, "two/.kindvet.yaml": "# the second\n" + old, "two/a.yaml": word, "two/sub/a.yaml": word,
	})
	for _, name := range []string{"one/a.yaml", "two/a.yaml", "two/sub/a.yaml"} {
		w.rules(name)
	}
	var have []string
	for _, v := range w.Violations(w.allCRDs()) {
		have = append(have, fmt.Sprintf("%s:%d", v.Place.File, v.Place.Start().Line))
	}
	if have := strings.Join(have, " "); have != "one/.kindvet.yaml:1 two/.kindvet.yaml:2" {
		t.Errorf("have %q", have)
	}
}

// A file that several configurations name has each finding once.
func TestFindingsInSharedFilesAreReportedOnce(t *testing.T) {
	w := open(t, map[string]string{
		"one/.kindvet.yaml": "schemas: [../crds]\nkubernetesVersion: \"1.31\"\n", "one/a.yaml": word,
		"two/.kindvet.yaml": "schemas: [../crds]\nkubernetesVersion: \"1.32\"\n", "two/a.yaml": word,
		"crds/word.yaml": strings.Replace(fmt.Sprintf(crd, "word"), "type: string", "type: text", 1),
	})
	w.rules("one/a.yaml")
	w.rules("two/a.yaml")
	var have []string
	for _, v := range w.Violations(w.allCRDs()) {
		have = append(have, fmt.Sprintf("%s:%d %s", v.Place.File, v.Place.Start().Line, v.Message))
	}
	if unique := slices.Compact(slices.Clone(have)); len(have) == 0 || len(unique) != len(have) {
		t.Errorf("have %q", have)
	}
}

func TestEachUnknownRuleOfAConfigurationIsAnErrorAtItsPlace(t *testing.T) {
	for line, place := range map[string]string{
		"enable: [container/ssh-port, no/rule]": "1:30", "disable: [no/rule]": "1:11",
		"enable: [container/ssh-port]\ndisable: [no/rule]": "2:11", "severity: {no/rule: info}": "1:12",
		"params: {no/rule: {most: 1}}": "1:20", "params: {container/ssh-port: {none: 1}}": "1:31",
	} {
		w := open(t, map[string]string{".kindvet.yaml": line + "\n", "a.yaml": word})
		_, err := w.Check(w.at("a.yaml"), today)
		if want := ".kindvet.yaml:" + place + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: have %v, want an error at %s", line, err, want)
		}
	}
}
