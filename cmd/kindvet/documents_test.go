package main

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unrun are the commands on the pages that no test runs, by their first words, with the reason.
var unrun = map[string]string{
	"go install":                               "asks the network for a release",
	"go test":                                  "is what runs this",
	"UPDATE_SCRIPTS=1 go test":                 "writes into the sources",
	"go generate":                              "writes into the sources",
	"(cd internal/oracle":                      "is a module of its own, which CI tests",
	".ci/oracle":                               "builds kube-apiserver",
	"(cd docs/site":                            "is a module of its own, which CI tests",
	"go run ./testdata/bench/":                 "takes an hour, or writes gigabytes",
	"go run ./testdata/mutants":                "takes minutes, and builds each test program",
	"go run ./testdata/changes":                "downloads modules; a test of its package compares two versions",
	"go run ./cmd/kindvet validate -o places":  "is run by the test of the steps for contributors",
	"go run ./cmd/kindvet validate --greeting": "is run by the test of the steps for contributors",
	"go run ./cmd/kindvet validate manifest":   "needs a manifest of the reader",
	"cosign":                                   "needs a release",
	"goreleaser":                               "builds a release",
	"sha256sum":                                "needs a release",
	"brew":                                     "installs a package",
	"scoop":                                    "installs a package",
	"kubectl krew":                             "installs a package",
	"helm install":                             "needs a cluster",
	"kubectl get validating":                   "needs a cluster",
	"kubectl get namespaces":                   "needs a cluster",
	"kindvet schemas add cert":                 "needs the network",
	"kindvet schemas add --det":                "needs the network",
	"kindvet schemas add clus":                 "needs a cluster",
}

// standIns replace the other programs of pipelines on the pages. Those before kindvet write rendered manifests, and
// those after it read everything.
var standIns = map[string]string{
	"helm":      `cat "$RENDERED"`,
	"kustomize": `cat "$RENDERED"`,
	"kubectl":   "cat > taken",
	"jq":        "cat",
	"reviewdog": "cat",
}

// The test runs all commands in the README and in docs, page by page and in order, in a git repository with manifests
// (testdata/demo as deploy) and CRDs (crds), and with what testdata/documents has for the page. Each must exit with 0
// or 1, and must print the text that the page shows below it. A line "..." replaces omitted lines. A YAML block that
// begins with a comment that is a file name is a file in that directory.
func TestCommandsOfTheDocumentationDoWhatThePagesSay(t *testing.T) {
	needShell(t, "sh", "git")
	used := map[string]bool{}
	for _, name := range pages(t) {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			desk := newDesk(t)
			desk.furnish(t, strings.TrimSuffix(filepath.Base(name), ".md"))
			for _, b := range blocksOf(readFile(t, filepath.Join(repository, name))) {
				desk.read(t, b, used)
			}
		})
	}
	for _, words := range slices.Sorted(maps.Keys(unrun)) {
		if !used[words] {
			t.Errorf("no page has the command %q that is left out", words)
		}
	}
}

// pages are the README and all pages of docs, relative to the repository.
func pages(t *testing.T) []string {
	t.Helper()
	found := []string{"README.md"}
	err := filepath.WalkDir(filepath.Join(repository, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			name, _ := filepath.Rel(repository, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// block is a fenced block of a page.
type block struct {
	language, text string
}

var fenced = regexp.MustCompile("(?ms)^ *```([a-z]*)\n(.*?)^ *```$|^#+ [^\n]*$")

// blocksOf returns the fenced blocks of a page in order. A heading is a block without a language and text.
func blocksOf(page string) []block {
	var blocks []block
	for _, found := range fenced.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, block{found[1], found[2]})
	}
	return blocks
}

// desk is the directory in which the commands of a page run.
type desk struct {
	dir         string
	environment []string
	codes       string // the file with the exit code of each call of kindvet
	said        string // what the last commands printed
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	programs, state := t.TempDir(), t.TempDir()
	d := &desk{dir: t.TempDir(), codes: filepath.Join(state, "codes")}
	for name, script := range standIns {
		writeFile(t, filepath.Join(programs, name), "#!/bin/sh\n"+script+"\n", 0o755)
	}
	writeFile(t, filepath.Join(programs, "kindvet"),
		"#!/bin/sh\n\"$PROGRAM\" \"$@\"\ncode=$?\necho $code >> \"$CODES\"\nexit $code\n", 0o755)
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	d.environment = []string{
		"PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + d.dir, "GIT_CONFIG_NOSYSTEM=1",
		"PROGRAM=" + filepath.Join(installed, "kindvet"), "CODES=" + d.codes,
		"GITHUB_STEP_SUMMARY=" + filepath.Join(state, "summary.md"),
		"RENDERED=" + filepath.Join(root, "testdata", "documents", "rendered.yaml"),
	}
	for name, from := range map[string]string{"deploy": "demo", "crds": filepath.Join("documents", "crds")} {
		if err := os.CopyFS(filepath.Join(d.dir, name), os.DirFS(filepath.Join(root, "testdata", from))); err != nil {
			t.Fatal(err)
		}
	}
	commit := "git add -A && git -c user.name=a -c user.email=a@example.com commit -q"
	d.shell(t, d.dir, "git init -q -b main && "+commit+" -m first", 0)
	// The remote branch has a configuration too.
	d.shell(t, d.dir,
		"git checkout -q --detach && echo 'exclude: [generated/]' > .kindvet.yaml && "+commit+" -m second && "+
			"git update-ref refs/remotes/origin/main HEAD && git checkout -q main", 0)
	return d
}

// furnish copies the directory of a page, such as testdata/documents/charts for docs/charts.md, if there is one.
func (d *desk) furnish(t *testing.T, page string) {
	t.Helper()
	from := filepath.Join(repository, "testdata", "documents", page)
	if _, err := os.Stat(from); err != nil {
		return
	}
	if err := os.CopyFS(filepath.Join(d.dir, page), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

var fileName = regexp.MustCompile(`^# ([\w./-]+\.yaml)\n`)

// scripted finds the calls of kindvet in pipeline files.
var scripted = regexp.MustCompile(`(?m)^ *(?:- )?(?:run: |script: |sh ')(kindvet [^'\n]*)`)

// image is a call of the image of a release. The program that it contains is run instead.
var image = regexp.MustCompile(`^docker run .* kindvet/kindvet\S* `)

// languages are those of blocks that a test reads. Blocks of the language txt are diagrams.
var languages = []string{"sh", "text", "yaml", "json", "groovy", "gitattributes", "txt"}

// configurationKeys finds the first key of examples of a configuration.
var configurationKeys = regexp.MustCompile(
	`^(?:# \.kindvet\.yaml\n)?(?:schemas|exclude|enable|ignores|kubernetesVersion|params|complete):`)

// isConfiguration reports whether a block is an example of a configuration.
func isConfiguration(text string) bool { return configurationKeys.MatchString(text) }

// ruleHead completes examples of parts of a lint rule.
const ruleHead = "id: page/example\ntitle: example\nseverity: warning\nmessage: example\nhelp: none\nwhy: an example\n"

var ruleKeys = regexp.MustCompile(`^(?:type: \w+|kinds: \[)`)

// isRule reports whether a block is a part of a lint rule.
func isRule(text string) bool { return ruleKeys.MatchString(text) }

// read runs the commands of a block, compares a block with what they printed, or writes the file of a block.
func (d *desk) read(t *testing.T, b block, used map[string]bool) {
	t.Helper()
	if !slices.Contains(languages, b.language) && b != (block{}) {
		t.Errorf("no test reads a block of the language %q:\n%s", b.language, b.text)
	}
	switch b.language {
	case "sh":
		d.said = ""
		for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", "")) {
			d.run(t, strings.TrimPrefix(strings.TrimSpace(line), "exec "), used)
		}
		return
	case "text":
		if !saidIn(b.text, d.said) {
			t.Errorf("the page shows\n%s\nthe commands above it say\n%s", b.text, d.said)
		}
	case "yaml", "groovy":
		for _, command := range scripted.FindAllStringSubmatch(b.text, -1) {
			d.run(t, command[1], used)
		}
		if isConfiguration(b.text) {
			writeFile(t, filepath.Join(d.dir, "page.kindvet.yaml"), b.text, 0o644)
			d.run(t, "kindvet config check page.kindvet.yaml", used)
		}
		if isRule(b.text) {
			writeFile(t, filepath.Join(d.dir, "page-rule.yaml"), ruleHead+b.text, 0o644)
			d.run(t, "kindvet validate --rules page-rule.yaml deploy", used)
		}
		if name := fileName.FindStringSubmatch(b.text); name != nil {
			writeFile(t, filepath.Join(d.dir, filepath.FromSlash(name[1])), b.text, 0o644)
		}
	}
	d.said = ""
}

// run runs a line of a shell block unless it is one that no test runs.
func (d *desk) run(t *testing.T, line string, used map[string]bool) {
	t.Helper()
	for words := range unrun {
		if strings.HasPrefix(line, words) {
			used[words] = true
			return
		}
	}
	line = image.ReplaceAllString(line, "kindvet ")
	dir := d.dir
	if rest, ok := strings.CutPrefix(line, "go run ./cmd/kindvet "); ok {
		line, dir = "kindvet "+rest, repository
	}
	calls := len(regexp.MustCompile(`(^|[|] *)kindvet `).FindAllString(line, -1))
	os.Remove(d.codes)
	said := d.shell(t, dir, line, min(calls, violations))
	d.said += said
	codes, _ := os.ReadFile(d.codes)
	have := strings.Fields(string(codes))
	if len(have) != calls || slices.ContainsFunc(have, func(code string) bool { return code > "1" }) {
		t.Errorf("%s: %d calls of kindvet end with %q:\n%s", line, calls, have, said)
	}
}

// shell runs a command line and returns everything that it prints. The exit code must be 0 or an allowed one.
func (d *desk) shell(t *testing.T, dir, line string, fine int) string {
	t.Helper()
	c := exec.Command("sh", "-c", line)
	c.Dir, c.Env = dir, d.environment
	said, code := call(t, c)
	if code != 0 && code != fine {
		t.Errorf("%s: exit code %d:\n%s", line, code, said)
	}
	return said
}

// saidIn reports whether the output contains the parts of the shown text between the lines "...", as whole lines and
// in that order.
func saidIn(shown, said string) bool {
	said = "\n" + said
	for part := range strings.SplitSeq("\n"+shown, "\n...") {
		part = strings.TrimRight(part, "\n") + "\n"
		at := strings.Index(said, part)
		if at < 0 {
			return false
		}
		said = said[at+len(part)-1:]
	}
	return true
}

// The page about charts shows the files of its chart.
func TestThePageOnChartsShowsTheTestedChart(t *testing.T) {
	page := readFile(t, filepath.Join(repository, "docs", "charts.md"))
	chart := filepath.Join(repository, "testdata", "documents", "charts", "shop")
	for _, name := range []string{"values.yaml", "templates/_helpers.tpl", "templates/deployment.yaml"} {
		if text := readFile(t, filepath.Join(chart, name)); !strings.Contains(page, "`"+name+"`:\n\n```yaml\n"+text+"```") {
			t.Errorf("docs/charts.md does not show %s", name)
		}
	}
}

func TestShownTextIsComparedByWholeLinesInOrder(t *testing.T) {
	said := "one\ntwo\nthree\nfour\n"
	for shown, want := range map[string]bool{
		"one\ntwo\n": true, "two\n...\nfour\n": true, "...\nthree\n": true, "one\n...\n": true,
		"one\nthree\n": false, "wo\n": false, "three\n...\ntwo\n": false, "four\n...\nfour\n": false,
	} {
		if have := saidIn(shown, said); have != want {
			t.Errorf("%q: have %t, want %t", shown, have, want)
		}
	}
}
