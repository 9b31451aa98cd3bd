package find

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/kindvet/kindvet/internal/gitops"
)

// Tool is a program whose files a search has found, and which writes manifests from them.
type Tool struct {
	Name string
	// File is the first of its files.
	File string
	// Command writes the manifests to standard output. If it is "", Advice says how to check them.
	Command, Advice string
}

// tools are known by the name of a file or directory. "*" at its start stands for any text.
var tools = []struct {
	Tool
	names []string
}{
	{
		Tool{Name: "helmfile", Command: "helmfile template"},
		[]string{"helmfile.yaml", "helmfile.yml", "helmfile.yaml.gotmpl", "helmfile.d"},
	},
	{Tool{Name: "Tanka", Command: "tk show --dangerous-allow-redirect ENVIRONMENT"}, []string{"tkrc.yaml", "jsonnetfile.json"}},
	{Tool{Name: "jsonnet", Command: "jsonnet -y FILE"}, []string{"*.jsonnet"}},
	{Tool{Name: "Dhall", Command: "dhall-to-yaml --documents --file FILE"}, []string{"*.dhall"}},
	{Tool{Name: "cdk8s", Command: "cdk8s synth --stdout"}, []string{"cdk8s.yaml"}},
	{
		Tool{Name: "Pulumi", Advice: "set renderYamlToDirectory of its Kubernetes provider, and validate that directory"},
		[]string{"Pulumi.yaml", "Pulumi.yml"},
	},
}

// noteTool notes the tool to which an entry of a directory belongs, the first time.
func (s *search) noteTool(w walked, name string) {
	for i := range tools {
		if s.tools&(1<<i) != 0 || !isOfTool(tools[i].names, name) {
			continue
		}
		s.tools |= 1 << i
		found := tools[i].Tool
		found.File = w.path
		s.found.Tools = append(s.found.Tools, found)
	}
}

func isOfTool(names []string, name string) bool {
	for _, known := range names {
		suffix, isSuffix := strings.CutPrefix(known, "*")
		if name == known || isSuffix && strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// noteHelmfile notes a helmfile that is not named like a manifest. Others are among the files.
func (s *search) noteHelmfile(w walked, d fs.DirEntry, in *directory) {
	if !d.Type().IsRegular() || isManifest(d.Name()) || !gitops.IsHelmfile(filepath.ToSlash(w.full)) {
		return
	}
	if by, _ := in.leavesOut(s.finder, w.full, false, nil); by != nil {
		return
	}
	s.found.Helmfiles = append(s.found.Helmfiles, File{
		Name: w.path, Abs: w.full, Config: in.config, IsSearched: true, top: s.finder.topOf(in, w.full), isNoLink: true,
	})
}
