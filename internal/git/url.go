package git

import (
	"net/url"
	"strings"
)

// IsSameURL reports whether two URLs are those of the same git repository, however it is accessed: by HTTPS, SSH, or
// as user@host:path.
func IsSameURL(a, b string) bool {
	a, okA := normalized(a)
	b, okB := normalized(b)
	return okA && okB && a == b
}

// normalized returns the host and path of a URL. They are compared without case, as by Argo CD (util/git,
// NormalizeGitURL).
func normalized(text string) (string, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	host, path, isShort := strings.Cut(text, ":")
	if !strings.Contains(text, "://") {
		if !isShort || len(host) < 2 || strings.ContainsAny(host, "/\\") {
			return "", false // a local path
		}
		text = "ssh://" + host + "/" + path
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	name := strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
	return strings.TrimPrefix(u.Hostname(), "ssh.") + "/" + name, true
}

// HasHost reports whether a URL names a host, so that it can be compared with others.
func HasHost(text string) bool {
	_, ok := normalized(text)
	return ok
}
