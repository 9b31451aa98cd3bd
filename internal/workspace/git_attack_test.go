package workspace

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"github.com/kindvet/kindvet/internal/find"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// These tests build untrusted repositories: a pull request of plain files, or an archive that contains a .git
// directory. In no mode may a run execute a command from them or have a different verdict.

// dangerous writes settings into a git directory, each with a command that leaves a trace, and attributes that use
// these settings.
func (c *checkout) dangerous(dir string) {
	c.t.Helper()
	config := []string{
		"filter.evil.clean", c.trap("clean", "cat"), "filter.evil.smudge", c.trap("smudge", "cat"),
		"filter.evil.required", "true", "filter.process.process", c.trap("process", "cat"),
		"diff.external", c.trap("external", ""), "diff.evil.command", c.trap("command", ""), "diff.evil.textconv",
		c.trap("textconv", "cat"),
		"core.fsmonitor", c.trap("fsmonitor", "false"), "core.pager", c.trap("pager", "cat"), "pager.ls-files",
		c.trap("pager", "cat"),
		"core.sshCommand", c.trap("ssh", "false"), "core.askPass", c.trap("askpass", "false"), "core.gitProxy",
		c.trap("proxy", "false"),
		"core.alternateRefsCommand", c.trap("alternates", "false"), "credential.helper", "!" + c.trap("credential", ""),
		"alias.ls-files", "!" + c.trap("alias", ""), "gpg.program", c.trap("gpg", "false"), "core.editor",
		c.trap("editor", ""), "log.showSignature", "true", "submodule.recurse", "true", "diff.submodule", "diff",
		"status.submoduleSummary", "true",
	}
	for i := 0; i < len(config); i += 2 {
		c.git("config", "--file", filepath.Join(dir, "config"), config[i], config[i+1])
	}
	c.write(filepath.Join(dir, "info", "attributes"), "*.yaml filter=evil diff=evil\n*.yml filter=process\n")
}

// touch makes the stat information of all manifests differ from that in the index, so git would read the files.
func (c *checkout) touch() {
	c.t.Helper()
	for _, name := range []string{"a", "b", "c", "d"} {
		name = "deploy/" + name + ".yaml"
		text := c.read(name)
		c.remove(name)
		c.write(name, text)
	}
}

// harmless are the attacks that do not change a run.
var harmless = map[string]func(c *checkout){
	"a directory laid out like a bare repository": func(c *checkout) {
		c.bareRepository("deploy/aaa/g", fmt.Sprintf(valid, "x"))
		c.git("add", "-Af", "deploy/aaa")
		c.git("commit", "-q", "-m", "bare", "--", "deploy/aaa")
	},
	"filters and all other commands in .git/config": func(c *checkout) { c.dangerous(".git") },
	"attributes in the tree": func(c *checkout) {
		c.dangerous(".git")
		c.remove(".git/info/attributes")
		c.write(".gitattributes", "*.yaml filter=evil diff=evil text eol=crlf working-tree-encoding=UTF-16 ident\n")
		c.write("deploy/.gitattributes", "* filter=evil diff=evil export-ignore\n")
	},
	"include.path": func(c *checkout) {
		c.write("evil/info/keep", "")
		c.dangerous("evil")
		c.write(".gitattributes", "*.yaml filter=evil diff=evil\n")
		c.git("config", "include.path", c.path("evil/config"))
		c.git("config", "includeIf.gitdir:**.path", c.path("evil/config"))
	},
	"core.worktree": func(c *checkout) {
		c.write("elsewhere/deploy/a.txt", "not this tree")
		c.git("config", "core.worktree", c.path("elsewhere"))
	},
	"core.bare": func(c *checkout) { c.git("config", "core.bare", "true") },
	"core.hooksPath": func(c *checkout) {
		for _, hook := range []string{
			"post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc", "post-checkout",
		} {
			c.trapProgram("hooks/" + hook)
			c.trapProgram(".git/hooks/" + hook)
		}
		c.git("config", "core.hooksPath", c.path("hooks"))
		c.git("config", "core.fsmonitor", c.path("hooks/fsmonitor-watchman"))
	},
	"alternates": func(c *checkout) {
		c.git("init", "-q", "other")
		c.write("other/x.yaml", fmt.Sprintf(valid, "b"))
		c.gitIn("other", "add", "-A")
		c.write(".git/objects/info/alternates", c.path("other/.git/objects")+"\n"+c.path("missing")+"\n/dev/zero\n")
		c.remove("other/x.yaml")
	},
	"replaced objects": func(c *checkout) {
		for _, names := range [][2]string{
			{"main:deploy/a.yaml", "main:deploy/browser.yaml"}, {"topic:deploy/c.yaml", "main:deploy/a.yaml"},
		} {
			c.git("replace", c.git("rev-parse", names[0]), c.git("rev-parse", names[1]))
		}
		c.git("replace", c.git("rev-parse", "main"), c.git("rev-parse", "topic"))
	},
	"grafts": func(c *checkout) {
		c.write(".git/info/grafts", c.git("rev-parse", "topic")+"\n")
	},
	"files that git is told not to look at": func(c *checkout) {
		c.git("update-index", "--assume-unchanged", "deploy/browser.yaml", "deploy/d.yaml")
	},
	"a sparse checkout": func(c *checkout) {
		c.write("other/x.yaml", fmt.Sprintf(browser, "sparse", "sparse"))
		c.git("add", "other")
		c.git("commit", "-q", "-m", "sparse", "--", "other")
		c.git("branch", "-qf", "main", c.mainWith("other/x.yaml"))
		c.git("update-index", "--skip-worktree", "other/x.yaml")
		c.git("config", "core.sparseCheckout", "true")
		c.write(".git/info/sparse-checkout", "/deploy/\n")
		c.remove("other")
	},
	"a submodule with commands of its own": func(c *checkout) {
		c.git("init", "-q", "-b", "main", "../sub")
		c.write("../sub/x.txt", "a: b")
		c.gitIn("../sub", "add", "-A")
		c.gitIn("../sub", "commit", "-q", "-m", "x")
		c.git("submodule", "--quiet", "add", c.path("../sub"), "deploy/mod")
		c.git("commit", "-q", "-m", "mod", "--", "deploy/mod", ".gitmodules")
		c.dangerous(".git/modules/deploy/mod")
		c.write("deploy/mod/.gitattributes", "* filter=evil diff=evil\n")
		c.write("deploy/mod/x.txt", "a: c")
		c.git("config", "--file", ".gitmodules", "submodule.deploy/mod.update", "!"+c.trap("update", ""))
	},
	"a git program in the tree": func(c *checkout) {
		c.trapProgram("bin/git")
		c.trapProgram("git")
		c.trapProgram("deploy/git")
		c.t.Setenv("PATH",
			strings.Join([]string{"", ".", "bin", c.path("bin"), os.Getenv("PATH")}, string(filepath.ListSeparator)))
	},
	"variables of the environment": func(c *checkout) { c.hostileEnvironment() },
	"a .git link that the git directory agrees with": func(c *checkout) {
		c.rename(".git", "../real")
		c.link(filepath.Join("..", "real"), ".git")
		c.git("config", "core.worktree", c.dir)
	},
	"a .git file that the git directory agrees with": func(c *checkout) {
		c.rename(".git", "../real")
		c.write(".git", "gitdir: ../real\n")
		c.git("--git-dir=../real", "config", "core.worktree", "../tree")
	},
	"a linked worktree": func(c *checkout) {
		c.write("../main/x.txt", "")
		c.rename(".git", "../main/.git")
		c.gitIn("../main", "worktree", "add", "-q", "--detach", "--no-checkout", "../linked")
		c.rename("../linked/.git", ".git")
		c.write("../main/.git/worktrees/linked/gitdir", c.path(".git")+"\n")
		c.write("../main/.git/worktrees/linked/HEAD", "ref: refs/heads/topic\n")
		c.rename("../main/.git/index", "../main/.git/worktrees/linked/index")
	},
	"links that stay in .git, and hooks elsewhere": func(c *checkout) {
		c.remove(".git/HEAD")
		c.link("refs/heads/topic", ".git/HEAD")
		c.link("missing", ".git/ORIG_HEAD")
		c.write("../hooks/pre-commit", "")
		c.remove(".git/hooks")
		c.link(filepath.Join("..", "..", "hooks"), ".git/hooks")
	},
}

// mainWith returns a commit that is like main but also has one of the files of HEAD.
func (c *checkout) mainWith(name string) string {
	c.t.Helper()
	c.t.Setenv("GIT_INDEX_FILE", filepath.Join(c.out, "..", "index"))
	c.git("read-tree", "main")
	c.git("update-index", "--add", "--cacheinfo", "100644,"+c.git("rev-parse", "HEAD:"+name)+","+name)
	commit := c.git("commit-tree", "-m", "main", "-p", "main", c.git("write-tree"))
	if err := os.Unsetenv("GIT_INDEX_FILE"); err != nil {
		c.t.Fatal(err)
	}
	return commit
}

// bareRepository creates a directory with the layout of a bare repository that is its own working tree, with commands
// in its settings. It adds a manifest to its commit, to the directory, and next to it.
func (c *checkout) bareRepository(dir, manifest string) {
	c.t.Helper()
	c.write("../evil/x.yaml", manifest)
	c.write("../evil/.gitattributes", "*.yaml filter=evil diff=evil\n")
	c.gitIn("../evil", "init", "-q", "-b", "main", ".")
	c.gitIn("../evil", "add", "-A")
	c.gitIn("../evil", "commit", "-q", "-m", "x")
	c.gitIn("../evil", "update-ref", "refs/remotes/origin/main", "HEAD")
	c.gitIn("../evil", "config", "core.bare", "false")
	c.gitIn("../evil", "config", "core.worktree", ".")
	if err := os.MkdirAll(filepath.Dir(c.path(dir)), 0o755); err != nil {
		c.t.Fatal(err)
	}
	c.rename("../evil/.git", dir)
	c.remove(dir + "/hooks")
	c.dangerous(dir)
	for _, in := range []string{dir, filepath.Dir(dir)} {
		c.write(in+"/x.yaml", manifest)
		c.write(in+"/.gitattributes", "*.yaml filter=evil diff=evil\n")
	}
}

// hostileEnvironment sets every variable that could make git use other objects, settings, programs or files.
func (c *checkout) hostileEnvironment() {
	c.git("init", "-q", "-b", "main", "../other")
	c.gitIn("../other", "commit", "-q", "--allow-empty", "-m", "other")
	c.dangerous("../other/.git")
	c.trapProgram("../programs/git-ls-files")
	other, trace := c.path("../other/.git"), filepath.Join(c.out, "trace")
	for name, value := range map[string]string{
		"GIT_DIR": other, "GIT_WORK_TREE": filepath.Dir(other), "GIT_COMMON_DIR": other,
		"GIT_OBJECT_DIRECTORY":             other + "/objects",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES": other + "/objects", "GIT_NAMESPACE": "evil", "GIT_CEILING_DIRECTORIES": c.dir,
		"GIT_INDEX_FILE": other + "/index",
		"GIT_CONFIG":     other + "/config", "GIT_CONFIG_GLOBAL": other + "/config", "GIT_CONFIG_SYSTEM": other + "/config",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": c.trap("count", "false"),
		"GIT_CONFIG_PARAMETERS": "'core.fsmonitor=" + strings.ReplaceAll(c.trap("parameters", "false"), "'", "'\\''") + "'",
		"GIT_EXTERNAL_DIFF":     c.trap("external", ""), "GIT_SSH": c.path("../programs/git-ls-files"),
		"GIT_SSH_COMMAND":   c.trap("ssh", ""),
		"GIT_PROXY_COMMAND": c.trap("proxy", ""), "GIT_ASKPASS": c.trap("askpass", ""), "GIT_EDITOR": c.trap("editor", ""),
		"GIT_PAGER": c.trap("pager", "cat"), "GIT_EXEC_PATH": c.path("../programs"), "GIT_TEMPLATE_DIR": other,
		"GIT_TRACE": trace, "GIT_TRACE_SETUP": trace, "GIT_TRACE_PACK_ACCESS": trace, "GIT_TRACE2": trace,
		"GIT_TRACE2_EVENT": trace, "GIT_TRACE2_PERF": trace,
		"GIT_LITERAL_PATHSPECS": "1", "GIT_REPLACE_REF_BASE": "refs/heads/", "GIT_GRAFT_FILE": other + "/HEAD",
		"GIT_SHALLOW_FILE": other + "/HEAD", "GIT_DEFAULT_HASH": "sha256", "GIT_INTERNAL_SUPER_PREFIX": "evil/",
		"GIT_PREFIX":         "deploy/",
		"GIT_ALLOW_PROTOCOL": "ext:file", "GIT_ATTR_SOURCE": "HEAD", "GIT_QUARANTINE_PATH": other,
		"GIT_IMPLICIT_WORK_TREE": "0",
	} {
		c.t.Setenv(name, value)
	}
}

func TestAStrangerRunsNoCodeAndChangesNoVerdict(t *testing.T) {
	skipIfShort(t)
	for name, attack := range harmless {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			attack(c)
			c.touch()
			c.checkVerdicts()
		})
	}
}

// rejected are the attacks that make a comparison impossible, and the error of each.
var rejected = map[string]struct {
	attack func(c *checkout)
	want   string
}{
	"a .git file that points elsewhere": {func(c *checkout) {
		c.otherRepository()
		c.write(".git", "gitdir: ../other/.git\n")
	}, "which is not the git directory of this working tree"},
	"a .git file that points to the linked worktree of another": {func(c *checkout) {
		c.otherRepository()
		c.gitIn("../other", "worktree", "add", "-q", "../linked")
		c.write(".git", "gitdir: ../other/.git/worktrees/linked\n")
	}, "which is not the git directory of this working tree"},
	"a .git file that points to a submodule": {func(c *checkout) {
		c.otherRepository()
		c.gitIn("../other", "config", "core.worktree", "..")
		c.write(".git", "gitdir: ../other/.git\n")
	}, "which is not the git directory of this working tree"},
	"a link to another .git": {func(c *checkout) {
		c.otherRepository()
		c.link(filepath.Join("..", "other", ".git"), ".git")
	}, "which is not the git directory of this working tree"},
	"a link to a .git file": {func(c *checkout) {
		c.otherRepository()
		c.write("../dotgit", "gitdir: "+c.path("../other/.git")+"\n")
		c.link(filepath.Join("..", "dotgit"), ".git")
	}, "which is not the git directory of this working tree"},
	"a .git file of another format": {func(c *checkout) {
		c.remove(".git")
		c.write(".git", "../other/.git\n")
	}, "must be a directory or a file that starts with"},
	"a .git file that points to a linked worktree in the tree": {func(c *checkout) {
		c.otherRepository()
		c.write("planted/gitdir", c.path(".git")+"\n")
		c.write("planted/commondir", "../../other/.git\n")
		c.write("planted/HEAD", "ref: refs/heads/main\n")
		c.write(".git", "gitdir: planted\n")
	}, "which is not the git directory of this working tree"},
	"the common directory of another": {func(c *checkout) {
		c.otherRepository()
		c.write(".git/HEAD", "ref: refs/heads/main\n")
		c.write(".git/commondir", "../../other/.git\n")
	}, ".git/commondir: only a linked worktree"},
	"objects of another": {func(c *checkout) {
		c.rename(".git/objects", "../objects")
		c.link(filepath.Join("..", "..", "objects"), ".git/objects")
	}, ".git/objects: is a symbolic link to a directory"},
	"packs of another": {func(c *checkout) {
		c.remove(".git/objects/pack")
		c.write("../packs/x", "")
		c.link(filepath.Join("..", "..", "..", "packs"), ".git/objects/pack")
	}, ".git/objects/pack: is a symbolic link to a directory"},
	"branches of another": {func(c *checkout) {
		c.rename(".git/refs/heads", "../heads")
		c.link(filepath.Join("..", "..", "..", "heads"), ".git/refs/heads")
	}, ".git/refs/heads: is a symbolic link to a directory"},
	"a branch of another": {func(c *checkout) {
		c.rename(".git/refs/heads/topic", "../topic")
		c.link(filepath.Join("..", "..", "..", "..", "topic"), ".git/refs/heads/topic")
	}, ".git/refs/heads/topic: is a symbolic link that leads out of the git directory"},
	"an index of another": {func(c *checkout) {
		c.rename(".git/index", "../index")
		c.link(filepath.Join("..", "..", "index"), ".git/index")
	}, ".git/index: is a symbolic link that leads out of the git directory"},
	"an empty .git": {func(c *checkout) {
		c.remove(".git")
		c.write(".git/keep", "")
	}, ""},
}

// otherRepository creates a repository next to the checkout, in which main and HEAD have all files of the working
// tree, and removes .git.
func (c *checkout) otherRepository() {
	c.t.Helper()
	c.commit("all")
	c.git("branch", "-qf", "main")
	c.dangerous(".git")
	c.write("../other/x.txt", "")
	c.rename(".git", "../other/.git")
}

func TestAGitDirectoryOfAnotherTreeIsRejected(t *testing.T) {
	skipIfShort(t)
	for name, test := range rejected {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			test.attack(c)
			c.checkRejected(test.want)
		})
	}
}

func TestAnIndexWithAPathOutsideIsRejected(t *testing.T) {
	c := newCheckout(t)
	c.write("00/x.yaml", fmt.Sprintf(valid, "x"))
	c.git("add", "00")
	c.remove("00")
	index := bytes.Replace([]byte(c.read(".git/index")), []byte("00/x.yaml"), []byte("../x.yaml"), 1)
	content := index[:len(index)-sha1.Size]
	sum := sha1.Sum(content)
	c.write(".git/index", string(content)+string(sum[:]))
	for mode, o := range modes {
		c.checkNoTrace(mode, func() {
			want := verdicts[mode]
			if o.Files.Staged {
				want = `error: --staged: the git index has the invalid path "../x.yaml"`
			}
			if have := c.verdict(o, "deploy"); have != want {
				t.Errorf("%s:\nhave %q\nwant %q", mode, have, want)
			}
		})
	}
}

func TestABareRepositoryDecidesNothing(t *testing.T) {
	c := newCheckout(t)
	c.git("update-ref", "refs/remotes/origin/main", "main")
	c.bareRepository("deploy/aaa", fmt.Sprintf(browser, "research", "forged"))
	c.remove("deploy/x.yaml")
	c.git("add", "-Af", "deploy/aaa")
	c.git("rm", "-q", "--cached", "deploy/browser.yaml")
	c.write("deploy/aaa/y.yaml", fmt.Sprintf(invalid, "another"))
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{Files: find.Options{Since: "origin/main"}}, "aaa/y.yaml:4:16"},
		{Options{Files: find.Options{Old: "origin/main"}}, "aaa/x.yaml:4:14 aaa/y.yaml:4:16"},
		{Options{Files: find.Options{Since: "origin/main", Old: "origin/main"}}, "aaa/x.yaml:4:14 aaa/y.yaml:4:16"},
		{Options{Files: find.Options{Staged: true, Old: "origin/main"}}, "aaa/x.yaml:4:14"},
	} {
		c.checkNoTrace(test.want, func() {
			if have := c.verdict(test.options, "deploy/aaa"); have != test.want {
				t.Errorf("--since %s --old %s: have %q, want %q", test.options.Files.Since, test.options.Files.Old, have, test.want)
			}
		})
	}
}

func TestANestedRepositoryIsReportedAndNotComparedWith(t *testing.T) {
	const said = "failure: compare deploy/mod: nested git repository: --old, --since and --staged do not read it; exclude it, or run kindvet inside it"
	c := newCheckout(t)
	c.write("deploy/mod/inner/z.yaml", fmt.Sprintf(invalid, "z"))
	c.write("deploy/mod/x.yaml", fmt.Sprintf(invalid, "x"))
	for _, dir := range []string{"deploy/mod/inner", "deploy/mod"} {
		c.gitIn(dir, "init", "-q", "-b", "main", ".")
		c.gitIn(dir, "add", "-A")
		c.gitIn(dir, "commit", "-q", "-m", "x")
		c.dangerous(dir + "/.git")
	}
	for _, test := range []struct {
		paths   []string
		options Options
		want    string
	}{
		{
			[]string{"deploy"}, Options{Files: find.Options{Since: "main"}}, "c.yaml:4:16 d.yaml:4:16 mod/inner/z.yaml:4:16 mod/x.yaml:4:16 " + said,
		},
		{[]string{"deploy"}, Options{Files: find.Options{Since: "main", Old: "main"}},
			"browser.yaml:4:14 c.yaml:4:16 d.yaml:4:16 mod/inner/z.yaml:4:16 mod/x.yaml:4:16 new.yaml:4:14 " + said},
		{[]string{"deploy/mod/x.yaml"}, Options{Files: find.Options{Since: "main"}}, "mod/x.yaml:4:16 " + said},
		{[]string{"deploy/mod/inner/z.yaml", "deploy/a.yaml"}, Options{Files: find.Options{Old: "main"}}, "mod/inner/z.yaml:4:16 " + said},
		{[]string{"deploy/*/*.yaml"}, Options{Files: find.Options{Since: "main"}}, "mod/x.yaml:4:16 " + said},
		{[]string{"deploy"}, Options{Files: find.Options{Staged: true}}, verdicts["--staged"]},
		{[]string{"deploy/mod", "deploy/a.yaml"}, Options{Files: find.Options{Staged: true}}, said},
		{[]string{"deploy/mod"}, Options{Files: find.Options{Old: c.path("deploy/a.yaml")}}, "mod/inner/z.yaml:4:16 mod/x.yaml:4:16"},
	} {
		c.checkNoTrace(fmt.Sprint(test.paths), func() {
			if have := c.verdict(test.options, test.paths...); have != test.want {
				t.Errorf("%v --since %s --old %s:\nhave %q\nwant %q", test.paths, test.options.Files.Since, test.options.Files.Old,
					have, test.want)
			}
		})
	}
	t.Run("run in it", func(t *testing.T) {
		t.Chdir(c.path("deploy/mod"))
		if have := c.verdict(Options{Files: find.Options{Since: "main"}}, "x.yaml"); have != "" {
			t.Errorf("have %q", have)
		}
	})
}
