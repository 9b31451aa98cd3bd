package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// releaseFile is the part of .goreleaser.yml that the tests read (goreleaser.com/customization).
type releaseFile struct {
	Version int
	Before  struct{ Hooks []string }
	Builds  []struct {
		Env, Flags, Ldflags, Goos, Goarch []string
		ModTimestamp                      string `json:"mod_timestamp"`
	}
	Archives []struct {
		NameTemplate string   `json:"name_template"`
		BuildsInfo   fileInfo `json:"builds_info"`
		Files        []content
	}
	Checksum struct {
		NameTemplate string `json:"name_template"`
	}
	SBOMs []any
	Signs []struct{ Cmd, Artifacts string }
	NFPMs []struct {
		MTime    string
		Formats  []string
		Contents []content
	}
	Dockers []struct {
		Dockerfile string
		ExtraFiles []string `json:"extra_files"`
	} `json:"dockers_v2"`
	Casks []struct {
		Manpages []string
		Hooks    struct{ Post struct{ Install string } }
	} `json:"homebrew_casks"`
	Scoops []any
	Krews  []struct{ Name string }
}

type fileInfo struct{ Owner, Group, MTime string }

type content struct {
	Src, Dst, Type string
	Info           fileInfo
	FileInfo       fileInfo `json:"file_info"`
}

func readRelease(t *testing.T) releaseFile {
	t.Helper()
	var r releaseFile
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(repository, ".goreleaser.yml"))), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// The bytes of a release depend only on the commit: paths are trimmed, files belong to root, and the time is that of
// the commit.
func TestReleasesAreReproducible(t *testing.T) {
	r := readRelease(t)
	const commitTime, commitDate = "{{ .CommitTimestamp }}", "{{ .CommitDate }}"
	if len(r.Builds) != 1 || len(r.Archives) != 1 || len(r.NFPMs) != 1 {
		t.Fatalf("%d builds, %d archives, %d packages; want one of each", len(r.Builds), len(r.Archives), len(r.NFPMs))
	}
	b, a, p := r.Builds[0], r.Archives[0], r.NFPMs[0]
	if b.ModTimestamp != commitTime || b.Ldflags[0] != "-s -w" ||
		!slices.Contains(b.Flags, "-trimpath") || !slices.Contains(b.Env, "CGO_ENABLED=0") {
		t.Errorf("the build: %+v", b)
	}
	for _, variable := range []string{"version={{ .Version }}", "commit={{ .FullCommit }}", "date=" + commitDate} {
		if !slices.Contains(b.Ldflags, "-X github.com/kindvet/kindvet/internal/cli."+variable) {
			t.Errorf("the build does not set %s", variable)
		}
	}
	info := fileInfo{Owner: "root", Group: "root", MTime: commitDate}
	if a.BuildsInfo != info {
		t.Errorf("the program in archives: %+v", a.BuildsInfo)
	}
	for _, f := range a.Files {
		if f.Info != info {
			t.Errorf("%s in archives: %+v", f.Src, f.Info)
		}
	}
	for _, f := range p.Contents {
		if f.FileInfo.MTime != commitDate {
			t.Errorf("%s in packages: %+v", f.Src, f.FileInfo)
		}
	}
	if p.MTime != commitDate || !strings.Contains(strings.Join(r.Before.Hooks, "\n"), "SOURCE_DATE_EPOCH="+commitTime) {
		t.Error("packages or man pages are not dated by the commit")
	}
}

func TestReleasesAreWhatTheActionInstalls(t *testing.T) {
	r := readRelease(t)
	if have, want := r.Archives[0].NameTemplate, "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}"; have != want {
		t.Errorf("archives are called %s, the action looks for %s", have, want)
	}
	if r.Checksum.NameTemplate != "checksums.txt" {
		t.Errorf("checksums are called %s", r.Checksum.NameTemplate)
	}
	if !slices.Equal(r.Builds[0].Goos, []string{"linux", "darwin", "windows"}) ||
		!slices.Equal(r.Builds[0].Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("the action looks for other platforms than %v %v", r.Builds[0].Goos, r.Builds[0].Goarch)
	}
}

func TestReleasesGoToAllPlacesSigned(t *testing.T) {
	r := readRelease(t)
	if r.Version != 2 || len(r.SBOMs) == 0 || len(r.Scoops) == 0 || len(r.Dockers) == 0 || len(r.Casks) == 0 ||
		len(r.Krews) == 0 {
		t.Errorf("something is missing: %+v", r)
	}
	if len(r.Signs) != 1 || r.Signs[0].Cmd != "cosign" || r.Signs[0].Artifacts != "checksum" {
		t.Errorf("checksums are not signed: %+v", r.Signs)
	}
	if !strings.Contains(r.Casks[0].Hooks.Post.Install, "if OS.mac?") {
		t.Error("the cask runs a program of macOS elsewhere")
	}
	links := slices.ContainsFunc(r.NFPMs[0].Contents,
		func(c content) bool { return c.Type == "symlink" && c.Dst == "/usr/bin/kubectl-kindvet" })
	if r.Krews[0].Name != "kindvet" || !links {
		t.Error("kubectl does not find the program")
	}
	image := readFile(t, filepath.Join(repository, r.Dockers[0].Dockerfile))
	if !strings.Contains(image, "\nFROM scratch\n") || !strings.Contains(image, "\nUSER 65532:65532\n") {
		t.Errorf("the image has a system, or runs the program as root:\n%s", image)
	}
}

func TestReleasesContainTheLicensesOfTheirCode(t *testing.T) {
	r := readRelease(t)
	image := readFile(t, filepath.Join(repository, r.Dockers[0].Dockerfile))
	for _, name := range []string{"LICENSE", "NOTICE", ".release/THIRD-PARTY-LICENSES"} {
		has := func(c content) bool { return c.Src == name }
		if !slices.ContainsFunc(r.Archives[0].Files, has) || !slices.ContainsFunc(r.NFPMs[0].Contents, has) {
			t.Errorf("archives or packages do not contain %s", name)
		}
		if !slices.Contains(r.Dockers[0].ExtraFiles, name) || !strings.Contains(image, " "+name+" ") {
			t.Errorf("the image does not contain %s", name)
		}
	}
	if !strings.Contains(strings.Join(r.Before.Hooks, "\n"), "-licenses ../../.release/THIRD-PARTY-LICENSES") {
		t.Error("nothing writes the licenses")
	}
}

// A cask lists each man page. The others use the directory.
func TestTheCaskHasAllManPages(t *testing.T) {
	dir, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "test", "./internal/cli", "-run", "TestReleaseFiles", "-release", dir)
	c.Dir = repository
	if out, code := call(t, c); code != 0 {
		t.Fatal(out)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "man", "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range pages {
		pages[i] = "man/" + filepath.Base(pages[i])
	}
	have := readRelease(t).Casks[0].Manpages
	slices.Sort(have)
	if !slices.Equal(have, pages) {
		t.Errorf("have %q\nwant %q", have, pages)
	}
}
