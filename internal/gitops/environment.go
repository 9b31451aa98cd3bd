package gitops

import (
	"os"
	"path"
	"strings"
)

// unknownCommit stands for the commit that is deployed.
const unknownCommit = "0000000000000000000000000000000000000000"

// substitute replaces the variables that Argo CD defines for each source, in names of files and in parameters. Others
// are empty, as for Argo CD (pkg/apis/application/v1alpha1, Env.Envsubst).
func (s *Source) substitute() {
	variables := map[string]string{
		"$": "$", "ARGOCD_APP_NAME": s.Name, "ARGOCD_APP_NAMESPACE": s.Set.Namespace, "ARGOCD_APP_SOURCE_PATH": s.Path,
		"ARGOCD_APP_SOURCE_REPO_URL": s.URL, "ARGOCD_APP_SOURCE_TARGET_REVISION": s.Revision,
		"ARGOCD_APP_REVISION": unknownCommit, "ARGOCD_APP_REVISION_SHORT": unknownCommit[:7],
		"ARGOCD_APP_REVISION_SHORT_8": unknownCommit[:8],
		"ARGOCD_APP_PROJECT_NAME":     "default",
	}
	expand := func(text string) string {
		if !strings.Contains(text, "$") {
			return text
		}
		return os.Expand(text, func(name string) string { return variables[name] })
	}
	for i := range s.ValueFiles {
		f := &s.ValueFiles[i]
		f.Path = expand(f.Path)
		if rest, ok := strings.CutPrefix(f.Path, "/"); ok {
			f.Path, f.IsFromTop = rest, true
		}
	}
	for i := range s.Set.Inputs {
		s.Set.Inputs[i].Text = expand(s.Set.Inputs[i].Text)
	}
}

// Clean returns a path of a source without "./" and "..". It returns false if the path leads out of the repository.
func Clean(name string) (string, bool) {
	name = path.Clean(strings.TrimLeft(name, "/"))
	return name, name != ".." && !strings.HasPrefix(name, "../") && !strings.ContainsAny(name, "\x00\n")
}
