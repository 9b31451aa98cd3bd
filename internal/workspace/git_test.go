package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"github.com/kindvet/kindvet/internal/find"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkout is a repository with the branch topic checked out. Of the manifests below deploy, main has a, b, browser
// and moved. A commit of topic adds c. d is staged. Only the working tree renames the browser and moves an object. b,
// c and d are invalid.
type checkout struct {
	t   *testing.T
	dir string // the working tree
	out string // a directory next to it, where a command of the repository creates a file if it runs
}

const (
	valid   = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: %s}\nspec: {scheme: internal}\n"
	invalid = "apiVersion: elbv2.platform.cloud/v1beta1\nkind: IngressClassParams\nmetadata: {name: %s}\nspec: {scheme: bad}\n"
	browser = "apiVersion: agentcorecontrol.services.platform.cloud/v1alpha1\nkind: Browser\nmetadata: {name: %s, namespace: resolver}\n" +
		"spec: {name: %s, networkConfiguration: {networkMode: PUBLIC}}\n"
)

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &checkout{t: t, dir: filepath.Join(dir, "tree"), out: filepath.Join(dir, "out")}
	for _, dir := range []string{c.dir, c.out} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.git("init", "-q", "--template=", "-b", "main", ".")
	c.write("deploy/a.yaml", fmt.Sprintf(valid, "a"))
	c.write("deploy/b.yaml", fmt.Sprintf(invalid, "b"))
	c.write("deploy/browser.yaml", fmt.Sprintf(browser, "research", "research"))
	c.write("deploy/moved.yaml", fmt.Sprintf(browser, "moved", "moved"))
	c.commit("base")
	c.git("checkout", "-q", "-b", "topic")
	c.write("deploy/c.yaml", fmt.Sprintf(invalid, "c"))
	c.commit("topic")
	c.write("deploy/d.yaml", fmt.Sprintf(invalid, "d"))
	c.git("add", "-A")
	c.write("deploy/browser.yaml", fmt.Sprintf(browser, "research", "researcher"))
	c.write("deploy/new.yaml", fmt.Sprintf(browser, "moved", "other"))
	c.remove("deploy/moved.yaml")
	t.Chdir(c.dir)
	return c
}

func (c *checkout) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func (c *checkout) write(name, text string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(text), 0o755); err != nil {
		c.t.Fatal(err)
	}
}

func (c *checkout) remove(name string) {
	c.t.Helper()
	if err := os.RemoveAll(c.path(name)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *checkout) rename(from, to string) {
	c.t.Helper()
	if err := os.Rename(c.path(from), c.path(to)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *checkout) link(target, name string) {
	c.t.Helper()
	if err := os.Symlink(target, c.path(name)); err != nil {
		c.t.Skip(err)
	}
}

func (c *checkout) read(name string) string {
	c.t.Helper()
	text, err := os.ReadFile(c.path(name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func (c *checkout) git(args ...string) string { return c.gitIn(".", args...) }

// gitIn runs git in a directory of the working tree, only with the settings of the repository.
func (c *checkout) gitIn(dir string, args ...string) string {
	c.t.Helper()
	command := exec.Command("git",
		append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"},
			args...)...)
	command.Dir = c.path(dir)
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := command.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *checkout) commit(message string) {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "-m", message)
}

// trap returns a shell command that creates a file with a name in c.out, and then runs the rest.
func (c *checkout) trap(name, rest string) string {
	return "touch '" + filepath.Join(c.out, name) + "'; " + rest
}

// trapProgram writes a program that creates a file in c.out.
func (c *checkout) trapProgram(name string) {
	c.write(name, "#!/bin/sh\n"+c.trap("program-"+filepath.Base(name), "exit 1")+"\n")
}

// modes are the ways to compare with a repository.
var modes = map[string]Options{
	"--old HEAD":                       {Files: find.Options{Old: "HEAD"}},
	"--since main":                     {Files: find.Options{Since: "main"}},
	"--since HEAD --old main":          {Files: find.Options{Since: "HEAD", Old: "main"}},
	"--staged":                         {Files: find.Options{Staged: true}},
	"--staged --since main --old main": {Files: find.Options{Staged: true, Since: "main", Old: "main"}},
}

// verdicts are the findings in an unchanged checkout.
var verdicts = map[string]string{
	"--old HEAD":                       "browser.yaml:4:14 d.yaml:4:16 new.yaml:4:14",
	"--since main":                     "c.yaml:4:16 d.yaml:4:16",
	"--since HEAD --old main":          "browser.yaml:4:14 d.yaml:4:16 new.yaml:4:14",
	"--staged":                         "b.yaml:4:16 c.yaml:4:16 d.yaml:4:16",
	"--staged --since main --old main": "c.yaml:4:16 d.yaml:4:16",
}

// verdict runs kindvet on paths and returns the places of the errors below deploy, and the failures.
func (c *checkout) verdict(o Options, paths ...string) string {
	c.t.Helper()
	o.Files.Paths = paths
	result, err := runHere(context.Background(), o)
	if err != nil {
		return "error: " + err.Error()
	}
	var said []string
	for _, v := range result.Report.Violations {
		name := strings.TrimPrefix(filepath.ToSlash(v.Place.File), "deploy/")
		said = append(said, fmt.Sprintf("%s:%d:%d", name, v.Place.Start().Line, v.Place.Start().Column))
	}
	for _, failure := range result.Failures {
		said = append(said, "failure: "+failure.Error())
	}
	return strings.Join(said, " ")
}

// checkVerdicts checks for every mode that the verdict is that of the unchanged checkout and that the run leaves no
// trace.
func (c *checkout) checkVerdicts() {
	c.t.Helper()
	for mode, o := range modes {
		c.checkNoTrace(mode, func() {
			if have := c.verdict(o, "deploy"); have != verdicts[mode] {
				c.t.Errorf("%s:\nhave %q\nwant %q", mode, have, verdicts[mode])
			}
		})
	}
}

// checkRejected checks for every mode that nothing is compared, that the error states the reason, and that the run
// leaves no trace.
func (c *checkout) checkRejected(want string) {
	c.t.Helper()
	for mode, o := range modes {
		c.checkNoTrace(mode, func() {
			if have := c.verdict(o, "deploy"); !strings.HasPrefix(have, "error: ") || !strings.Contains(have, want) {
				c.t.Errorf("%s: have %q, want an error with %q", mode, have, want)
			}
		})
	}
}

// checkNoTrace checks that a run starts no program of the repository and writes nothing to the working tree or .git.
func (c *checkout) checkNoTrace(mode string, run func()) {
	c.t.Helper()
	c.traces() // from the test itself
	before := c.contents()
	run()
	for _, trace := range c.traces() {
		c.t.Errorf("%s: %s was run", mode, trace)
	}
	after := c.contents()
	for name, text := range after {
		if before[name] != text {
			c.t.Errorf("%s: %s was written", mode, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			c.t.Errorf("%s: %s was removed", mode, name)
		}
	}
}

// traces returns the names of the files that commands have created, and removes them.
func (c *checkout) traces() []string {
	c.t.Helper()
	left, err := os.ReadDir(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	var names []string
	for _, trace := range left {
		names = append(names, trace.Name())
		if err := os.Remove(filepath.Join(c.out, trace.Name())); err != nil {
			c.t.Fatal(err)
		}
	}
	return names
}

// contents returns the hash of each file of the checkout, including .git.
func (c *checkout) contents() map[string]string {
	c.t.Helper()
	contents := map[string]string{}
	err := filepath.WalkDir(filepath.Dir(c.dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Dir(path) == c.out {
			return err
		}
		contents[path] = d.Type().String()
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			sum := sha256.Sum256(text)
			contents[path] = hex.EncodeToString(sum[:])
			return err
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return contents
}

func TestARunComparesWithTheRepository(t *testing.T) { newCheckout(t).checkVerdicts() }

func TestACheckoutWithCRLFHasNotChanged(t *testing.T) {
	c := newCheckout(t)
	for _, name := range []string{"a", "b", "c", "d", "browser", "new"} {
		name = "deploy/" + name + ".yaml"
		c.write(name, strings.ReplaceAll(c.read(name), "\n", "\r\n"))
	}
	c.checkVerdicts()
	t.Run("the objects of a file that has changed", func(t *testing.T) {
		c.write("deploy/b.yaml",
			c.read("deploy/b.yaml")+"---\r\n"+strings.ReplaceAll(fmt.Sprintf(invalid, "e"), "\n", "\r\n"))
		if have, want := c.verdict(Options{Files: find.Options{Since: "main"}}, "deploy/b.yaml"), "b.yaml:9:16"; have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	})
}

func TestALinkHasChangedWithWhatItLeadsTo(t *testing.T) {
	c := newCheckout(t)
	c.link("second.yaml", "deploy/first.yaml")
	c.write("base/third.yaml", fmt.Sprintf(invalid, "third"))
	c.link(filepath.Join("..", "base", "third.yaml"), "deploy/second.yaml")
	c.commit("links")
	since := Options{Files: find.Options{Since: "HEAD"}}
	if have := c.verdict(since, "deploy/first.yaml"); have != "" {
		t.Errorf("nothing has changed: have %q", have)
	}
	c.write("base/third.yaml", fmt.Sprintf(invalid, "another"))
	if have, want := c.verdict(since, "deploy/first.yaml"), "first.yaml:4:16"; have != want {
		t.Errorf("the file has changed: have %q, want %q", have, want)
	}
	c.git("checkout", "-q", "base")
	c.remove("deploy/second.yaml")
	c.link("c.yaml", "deploy/second.yaml")
	if have, want := c.verdict(since, "deploy/first.yaml"), "first.yaml:4:16"; have != want {
		t.Errorf("the link between has changed: have %q, want %q", have, want)
	}
	c.git("checkout", "-q", "deploy/second.yaml")
	outside := filepath.Join(filepath.Dir(c.dir), "outside.yaml")
	if err := os.WriteFile(outside, fmt.Appendf(nil, invalid, "outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.link(outside, "deploy/leads-out.yaml")
	c.commit("a link that leads out")
	if have, want := c.verdict(since, "deploy/leads-out.yaml"), "failure: "; !strings.HasPrefix(have, want) {
		t.Errorf("a link that leads out: have %q, want %q", have, want)
	}
}

func TestALinkIsAnUpdateOfWhatItLedTo(t *testing.T) {
	c := newCheckout(t)
	c.link("browser.yaml", "deploy/link.yaml")
	c.commit("a link")
	c.write("deploy/browser.yaml", fmt.Sprintf(browser, "research", "third"))
	if have, want := c.verdict(Options{Files: find.Options{Old: "HEAD"}}, "deploy/link.yaml"), "link.yaml:4:14"; have != want {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestSHA256(t *testing.T) {
	c := newCheckout(t)
	c.remove(".git")
	for _, name := range []string{"a", "b"} {
		c.write("deploy/"+name+".yaml", fmt.Sprintf(invalid, name))
	}
	c.git("init", "-q", "--object-format=sha256", "-b", "main", ".")
	c.commit("base")
	c.write("deploy/b.yaml", fmt.Sprintf(invalid, "other"))
	if have, want := c.verdict(Options{Files: find.Options{Since: "HEAD"}}, "deploy"), "b.yaml:4:16"; have != want {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestRepositoriesBesideEachOtherAreComparedEach(t *testing.T) {
	c := newCheckout(t)
	for _, name := range []string{"one", "two"} {
		c.write("work/"+name+"/old.yaml", fmt.Sprintf(invalid, name))
		c.gitIn("work/"+name, "init", "-q", "-b", "main", ".")
		c.gitIn("work/"+name, "add", "-A")
		c.gitIn("work/"+name, "commit", "-q", "-m", "base")
		c.write("work/"+name+"/new.yaml", fmt.Sprintf(invalid, name+"-new"))
	}
	outside := filepath.Join(filepath.Dir(c.dir), "work")
	if err := os.Rename(c.path("work"), outside); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(outside, "one", "new.yaml") + ":4:16 " + filepath.Join(outside, "two", "new.yaml") + ":4:16"
	t.Run("named each, from another one", func(t *testing.T) {
		have := c.verdict(Options{Files: find.Options{Since: "HEAD"}}, filepath.Join(outside, "one"), filepath.Join(outside, "two"))
		if have != filepath.ToSlash(want) {
			t.Errorf("have %q, want %q", have, want)
		}
	})
	t.Run("found below a directory that is in none", func(t *testing.T) {
		t.Chdir(outside)
		if have, want := c.verdict(Options{Files: find.Options{Since: "HEAD"}}, "."), "one/new.yaml:4:16 two/new.yaml:4:16"; have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	})
}

func TestAFileThatIsAlsoARevisionIsNeither(t *testing.T) {
	c := newCheckout(t)
	c.write("main", fmt.Sprintf(browser, "research", "researcher"))
	old := Options{Files: find.Options{Old: "main"}}
	if have, want := c.verdict(old, "deploy/browser.yaml"),
		"error: --old main: both a file and a git revision"; !strings.HasPrefix(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	for name, want := range map[string]string{"refs/heads/main": "browser.yaml:4:14", "./main": "", c.path("main"): ""} {
		if have := c.verdict(Options{Files: find.Options{Old: name}}, "deploy/browser.yaml"); have != want {
			t.Errorf("--old %s: have %q, want %q", name, have, want)
		}
	}
	c.git("branch", "-q", "-m", "main", "trunk")
	if have := c.verdict(old, "deploy/browser.yaml"); have != "" {
		t.Errorf("a file alone: have %q", have)
	}
}

func TestStagedReadsTheIndexAlone(t *testing.T) {
	c := newCheckout(t)
	c.remove("deploy")
	if have := c.verdict(Options{Files: find.Options{Staged: true}}, "deploy"); have != verdicts["--staged"] {
		t.Errorf("have %q, want %q", have, verdicts["--staged"])
	}
	c.write("deploy", "a file where the index has a directory")
	if have := c.verdict(Options{Files: find.Options{Staged: true}}, "."); have != verdicts["--staged"] {
		t.Errorf("have %q, want %q", have, verdicts["--staged"])
	}
}

func TestAPartialCloneFetchesNothing(t *testing.T) {
	c := newCheckout(t)
	c.git("config", "uploadpack.allowFilter", "true")
	c.git("config", "uploadpack.allowAnySHA1InWant", "true")
	c.git("checkout", "-qf", "topic")
	c.write("deploy/a.yaml", fmt.Sprintf(invalid, "a"))
	c.commit("more")
	c.git("clone", "-q", "--filter=blob:none", "file://"+c.dir, filepath.Join(filepath.Dir(c.dir), "partial"))
	c.dir = filepath.Join(filepath.Dir(c.dir), "partial")
	t.Chdir(c.dir)
	c.git("config", "remote.origin.url", "ext::sh -c touch% "+filepath.Join(c.out, "fetched"))
	c.git("config", "protocol.ext.allow", "always")
	c.checkNoTrace("--old HEAD~1", func() {
		have := c.verdict(Options{Files: find.Options{Old: "HEAD~1"}}, "deploy")
		if want := "error: --old HEAD~1: deploy/a.yaml: "; !strings.HasPrefix(have, want) {
			t.Errorf("have %q, want %q", have, want)
		}
	})
	if have, want := c.verdict(Options{Files: find.Options{Since: "HEAD"}}, "deploy"), ""; have != want {
		t.Errorf("nothing is missing of what is compared: have %q, want %q", have, want)
	}
	if missing := c.git("rev-list", "--objects", "--all", "--missing=print"); !bytes.Contains([]byte(missing),
		[]byte("?")) {
		t.Error("the clone is not partial")
	}
}
