package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kindvet/kindvet/internal/archive"
)

// small are limits that a test reaches.
func small() Limits {
	return Limits{
		Download: 64 << 10, Text: 1 << 10, CRDs: 2 << 10, Time: 10 * time.Second,
		Archive: archive.Limits{Total: 1 << 20, File: 1 << 10, Entries: 10},
	}
}

// serve starts a server with certificates that the options trust. said are the lines that were said.
func serve(t *testing.T, handler http.HandlerFunc) (url string, o Options, said *[]string) {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	server.Config.ErrorLog = nil
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	said = &[]string{}
	return server.URL,
		Options{Roots: roots, Limits: small(), Say: func(line string) { *said = append(*said, line) }}, said
}

// crd is a text that may have a CRD.
func crd(text string) string { return text + " CustomResourceDefinition" }

// fetch fetches a source and lists its files as NAME=TEXT, without what [crd] adds.
func fetch(t *testing.T, text string, o Options) (string, error) {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		return "", err
	}
	f, err := Fetch(t.Context(), s, o)
	if err != nil {
		return "", err
	}
	var files []string
	for _, file := range f.Files {
		files = append(files, file.Name+"="+strings.TrimSuffix(file.Text, crd("")))
	}
	return strings.Join(files, " "), nil
}

func tarGzip(files ...string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Size: int64(len(files[i+1]))})
		io.WriteString(w, files[i+1])
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func zipped(files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, _ := w.Create(files[i])
		io.WriteString(f, files[i+1])
	}
	w.Close()
	return b.Bytes()
}

func TestFilesAndArchivesOfURLs(t *testing.T) {
	archived := []string{"r-1/crds/b.yml", crd("earlier"), "r-1/crds/b.yml", crd("b"), "r-1/crds/a.yaml", crd("a"),
		"r-1/go.mod", crd("m"),
		"r-1/test/c.json", crd("earlier"), "r-1/test/c.json", "without a CRD"}
	url, o, said := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a.yaml":
			io.WriteString(w, crd("text"))
		case "/r.tar.gz", "/without/suffix":
			w.Write(tarGzip(archived...))
		case "/r.zip":
			w.Write(zipped(archived...))
		case "/moved":
			http.Redirect(w, r, "/a.yaml?signature=secret", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	})
	all := "r-1/crds/a.yaml=a r-1/crds/b.yml=b r-1/test/c.json="
	for _, c := range []struct{ path, want string }{
		{"/a.yaml", "a.yaml=text"}, {"/moved", "moved=text"},
		{"/r.tar.gz", all}, {"/without/suffix", all}, {"/r.zip", all},
		{"/r.tar.gz//crds", "r-1/crds/a.yaml=a r-1/crds/b.yml=b"}, {"/r.zip//r-1/crds/b.yml", "r-1/crds/b.yml=b"},
		{"/r.tar.gz//cr", ""},
	} {
		if have, err := fetch(t, url+c.path, o); err != nil || have != c.want {
			t.Errorf("%s: %q, %v; want %q", c.path, have, err, c.want)
		}
	}
	if want := "[fetching URL/a.yaml fetching URL/moved redirected to URL/a.yaml"; !strings.HasPrefix(strings.ReplaceAll(fmt.Sprint(*said), url, "URL"), want) {
		t.Errorf("said %v, want %s", *said, want)
	}
	if _, err := fetch(t, url+"/missing", o); err == nil || err.Error() != url+"/missing: 404 Not Found" {
		t.Error(err)
	}
}

// Each of these servers does harm to a client without limits.
func TestHostileServers(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "text")
	}))
	defer plain.Close()
	many := make([]string, 0, 22)
	for i := range 11 {
		many = append(many, fmt.Sprint(i, ".md"), "")
	}
	url, o, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/to-http":
			http.Redirect(w, r, plain.URL+"/a.yaml", http.StatusFound)
		case "/to-file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/to-user":
			http.Redirect(w, r, "https://user:password@"+r.Host+"/a.yaml", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/endless":
			for {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
			}
		case "/slow":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/zeros":
			z := gzip.NewWriter(w)
			defer z.Close()
			tarred := tar.NewWriter(z)
			tarred.WriteHeader(&tar.Header{Name: "a.md", Typeflag: tar.TypeReg, Size: 1 << 30})
			for range 1 << 10 {
				if _, err := tarred.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case "/zip-of-zeros":
			w.Write(zipped("a.yaml", strings.Repeat("\x00", 128<<10)))
		case "/up":
			w.Write(tarGzip("../../a.yaml", "a"))
		case "/many":
			w.Write(tarGzip(many...))
		case "/crds":
			w.Write(tarGzip("a.yaml", crd(strings.Repeat("a", 900)), "b.yaml", strings.Repeat("b", 1000), "c.yaml",
				crd(strings.Repeat("c", 900)), "d.yaml", crd(strings.Repeat("d", 900))))
		case "/text":
			io.WriteString(w, strings.Repeat("a", 1<<10))
		case "/longer-text":
			io.WriteString(w, strings.Repeat("a", 1<<10+1))
		}
	})
	for _, c := range []struct{ path, want string }{
		{"/to-http", "redirects to " + plain.URL + "/a.yaml: only https:// is fetched, not http://"},
		{"/to-file", "redirects to file:///etc/passwd: only https:// is fetched, not file://"},
		{"/to-user", "has a user name; credentials are not sent"},
		{"/loop", "redirects more than 5 times"},
		{"/endless", "is larger than kindvet fetches"},
		{"/zeros", "has more than 1 MiB when it is unpacked"},
		{"/zip-of-zeros", "a.yaml: has more than 0 MiB"},
		{"/up", `has the path "../../a.yaml", which leads out of it`},
		{"/many", "has more than 10 entries"},
		{"/longer-text", "is larger than kindvet fetches"},
		{"/crds", "has more than 0 MiB of CRDs"},
	} {
		if _, err := fetch(t, url+c.path, o); err == nil || !strings.HasSuffix(err.Error(), c.want) ||
			strings.Contains(err.Error(), "password") {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
	if _, err := fetch(t, url+"/text", o); err != nil {
		t.Errorf("a text of the most bytes: %v", err)
	}
	o.Limits.Time = 200 * time.Millisecond
	if _, err := fetch(t, url+"/slow", o); err == nil || !strings.HasSuffix(err.Error(), "/slow: took more than 200ms") {
		t.Error(err)
	}
	o.Roots = x509.NewCertPool()
	if _, err := fetch(t, url+"/text", o); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: %v", err)
	}
}

// A timeout of the connection is an error, even though the source as a whole has time left.
func TestATimeoutOfTheConnectionIsAnError(t *testing.T) {
	l := Limits{Time: time.Minute}
	timeout := &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
	for _, c := range []struct {
		err     error
		isEarly bool
		want    string
	}{
		{timeout, true, timeout.Error()},
		{timeout, false, "took more than 1m0s"},
		{io.ErrUnexpectedEOF, false, io.ErrUnexpectedEOF.Error()},
	} {
		if have := l.reason(c.err, c.isEarly); have == nil || have.Error() != c.want {
			t.Errorf("%v, early %v: have %v, want %s", c.err, c.isEarly, have, c.want)
		}
	}
	if have := l.reason(nil, false); have != nil {
		t.Errorf("no error: have %v", have)
	}
}

func TestNothingIsSentButTheRequest(t *testing.T) {
	var header http.Header
	url, o, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if header = r.Header; r.URL.Path == "/first" {
			http.Redirect(w, r, "/second", http.StatusFound)
		}
	})
	home := t.TempDir()
	os.WriteFile(filepath.Join(home, ".netrc"), []byte("default login a password b\n"), 0o600)
	t.Setenv("HOME", home)
	if _, err := fetch(t, url+"/first", o); err != nil {
		t.Fatal(err)
	}
	if len(header) != 1 || header.Get("User-Agent") != "kindvet" {
		t.Errorf("sent %v", header)
	}
}

func TestAnInterruptEndsADownload(t *testing.T) {
	url, o, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s, err := Parse(url + "/a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := Fetch(ctx, s, o); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Error(err)
	}
}

func TestFilesDirectoriesAndCharts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Chart.yaml": "chart", "crds/a.yaml": crd("a"), "templates/b.yaml": crd("b"), "templates/_helpers.tpl": crd("x"),
		".git/c.yaml": crd("c"), ".d.yaml": crd("d"), "charts/sub/crds/e.json": crd("e"), "README.md": crd("x"),
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hasLinks := os.Symlink("/etc", filepath.Join(dir, "link")) == nil
	os.Symlink("crds", filepath.Join(dir, "named-link"))
	os.Symlink("/etc/passwd", filepath.Join(dir, "link.yaml"))
	os.WriteFile(filepath.Join(dir, "chart.tgz"),
		tarGzip("chart/crds/a.yaml", crd("a"), "chart/templates/b.yaml", crd("b")), 0o644)
	t.Chdir(dir)
	for _, c := range []struct{ source, want string }{
		{".", "Chart.yaml= charts/sub/crds/e.json=e crds/a.yaml=a templates/b.yaml=b"},
		{"crds/a.yaml", "crds/a.yaml=a"}, {"named-link", "named-link/a.yaml=a"},
		{"chart.tgz", "chart/crds/a.yaml=a chart/templates/b.yaml=b"},
	} {
		if c.source == "named-link" && !hasLinks {
			continue
		}
		if have, err := fetch(t, c.source, Options{}); err != nil || have != c.want {
			t.Errorf("%s: %q, %v; want %q", c.source, have, err, c.want)
		}
	}
	if _, err := os.Stat("/dev/zero"); err != nil {
		return
	}
	if _, err := fetch(t, "/dev/zero", Options{}); err == nil || err.Error() != "/dev/zero: is not a regular file" {
		t.Error(err)
	}
}

// The files of an archive are in one directory, those of a git repository are not.
func TestAPathSelectsFilesBelowTheRoot(t *testing.T) {
	for source, wants := range map[string]map[string]bool{
		"git+https://example.com/o/r@v1//crds": {
			"crds/a.yaml": true, "crds/b/a.json": true, "crds/a.txt": false, "x/crds/a.yaml": false, "crdsx/a.yaml": false, "a.yaml": false,
		},
		"https://example.com/a.zip//crds": {
			"crds/a.yaml": true, "x/crds/a.yaml": true, "x/y/crds/a.yaml": false, "x/crdsx/a.yaml": false, "x/a.yaml": false,
		},
		"git+https://example.com/o/r@v1": {"a.yaml": true, "x/y/a.yml": true, "a.go": false},
	} {
		s, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range wants {
			if have := s.wants(name); have != want {
				t.Errorf("%s: wants %s: have %v", source, name, have)
			}
		}
	}
}

func TestSourcesAreParsed(t *testing.T) {
	for _, c := range []struct{ text, name, version, url, paths string }{
		{"cluster", "cluster", "", "", "[]"},
		{"cert-manager@v1.16.2", "cert-manager", "v1.16.2",
			"https://github.com/cert-manager/cert-manager/archive/refs/tags/v1.16.2.tar.gz", "[]"},
		{"knative-serving@v1.23.0", "knative-serving", "v1.23.0",
			"https://github.com/knative/serving/archive/refs/tags/knative-v1.23.0.tar.gz", "[]"},
		{"openshift@4.20", "openshift", "4.20", "https://github.com/openshift/api/archive/refs/heads/release-4.20.tar.gz", "[]"},
		{"kruise@v1.8.0//apps.kruise.io,game.kruise.io", "kruise//apps.kruise.io,game.kruise.io", "v1.8.0",
			"https://github.com/openkruise/kruise/archive/refs/tags/v1.8.0.tar.gz", "[]"},
		{"https://example.com/a.yaml", "https://example.com/a.yaml", "", "https://example.com/a.yaml", "[]"},
		{
			"https://example.com/a.zip//config/crd/", "https://example.com/a.zip//config/crd/", "", "https://example.com/a.zip",
			"[config/crd]",
		},
		{"git+https://example.com/o/r@v1.0.0", "git+https://example.com/o/r", "v1.0.0", "https://example.com/o/r", "[]"},
		{"git+https://example.com/o/r.git@apis/v2.4.0//config/crd", "git+https://example.com/o/r.git//config/crd",
			"apis/v2.4.0",
			"https://example.com/o/r.git", "[config/crd]"},
	} {
		s, err := Parse(c.text)
		if err != nil || s.Name != c.name || s.Version != c.version || s.url != c.url || fmt.Sprint(s.paths) != c.paths {
			t.Errorf("%s: %+v, %v", c.text, s, err)
		}
	}
	for _, below := range []string{"a//b", "a/.", "a/..", "./a", "a/../b"} {
		if s, err := Parse("git+https://example.com/o/r@v1//" + below); err == nil {
			t.Errorf("%q is a path below the root: %+v", below, s)
		}
	}
	for text, want := range map[string]string{
		"http://example.com/a.yaml":                 "only https:// is fetched, not http://",
		"file:///etc/passwd":                        "only https:// is fetched, not file://",
		"ftp://example.com/a":                       "only https:// is fetched, not ftp://",
		"https://user:word@example.com/a":           "has a user name; credentials are not sent",
		"https:///a":                                "has no host",
		"https://example.com/a.zip//../b":           `"../b" is not a path below the root`,
		"https://example.com/a.zip///etc":           `"/etc" is not a path below the root`,
		"git+https://example.com/o/r":               "names no version",
		"git+https://example.com/o/r@--upload-pack": "is not a git tag or commit",
		"git+https://example.com/o/r@a b":           "is not a git tag or commit",
		"git+https://example.com/o/r@a:b":           "is not a git tag or commit",
		"git+https://user@example.com/o/r@v1":       "has a user name",
		"git+ssh://git@example.com/o/r@v1":          "only https:// is fetched, not ssh://",
		"git+ext::sh -c touch% pwned":               "names no version",
		"git+http://example.com/o/r@v1":             "only https:// is fetched, not http://",
		"git+https://example.com/o/r@v1//../x":      `"../x" is not a path below the root`,
		"cert-manager":                              "names no version; write, for example, cert-manager@v",
		"crds":                                      "no such file or directory, and not a known project",
		"cert-manager@":                             "names no version; write, for example, cert-manager@v",
		"cert-manager@../../x":                      `"../../x" is not a version`,
		"cert-manager@v1?x":                         `"v1?x" is not a version`,
		"cert-manger@v1.0.0":                        "unknown project; did you mean cert-manager?",
		"cert-manager@v1//cert-manager.io,":         `"" is not an API group`,
		"cert-manager@v1//../x":                     `"../x" is not an API group`,
		"nothing@v1":                                "unknown project; 'kindvet schemas list --known' lists them",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestAProjectIsNeverAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("cert-manager@v1.16.2/cert-manager.io", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"cert-manager@v1.16.2", "cert-manager@v1.16.2//cert-manager.io"} {
		if s, err := ParseProject(text); err != nil || s.IsPath() || s.Text != text || s.Version != "v1.16.2" {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"cluster", "https://example.com/a.yaml", "cert-manager@-x"} {
		if s, err := ParseProject(text); err == nil || !strings.HasPrefix(err.Error(), text+": ") {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
}

func TestOfAProjectOnlyFilesWithItsKindsAreRead(t *testing.T) {
	for _, c := range []struct {
		source, file string
		want         bool
	}{
		{"cert-manager@v1.16.2", "cert-manager-1.16.2/deploy/crds/a.yaml", true},
		{"cert-manager@v1.16.2", "cert-manager-1.16.2/test/a.yaml", false},
		{"cert-manager@v1.16.2", "deploy/crds/a.yaml", false},
		{"cert-manager@v1.16.2//acme.cert-manager.io", "cert-manager-1.16.2/deploy/crds/a.yaml", true},
		{"openshift@4.20", "api-release-4.20/openapi/openapi.json", true},
		{"openshift@4.20", "api-release-4.20/openapi/other.json", false},
		{"crossplane-provider-aws@v2.6.0//iam.aws.m.upbound.io", "p-1/package/crds/iam.aws.m.upbound.io_roles.yaml", true},
		{"crossplane-provider-aws@v2.6.0//iam.aws.m.upbound.io", "p-1/package/crds/ec2.aws.m.upbound.io_vpcs.yaml", false},
		{"crossplane-provider-aws@v2.6.0", "p-1/package/crds/ec2.aws.m.upbound.io_vpcs.yaml", true},
	} {
		s, err := Parse(c.source)
		if err != nil || s.wants(c.file) != c.want {
			t.Errorf("%s wants %s: %v, %v", c.source, c.file, !c.want, err)
		}
	}
	part, _ := Parse("cert-manager@v1.16.2//acme.cert-manager.io")
	whole, _ := Parse("cert-manager@v1.16.2")
	if part.Wants("cert-manager.io") || !part.Wants("acme.cert-manager.io") || !whole.Wants("cert-manager.io") {
		t.Error("a part of a project has the kinds of its groups, and a whole one all")
	}
}

// The files of a directory have the limits of an archive.
func TestADirectoryHasLimits(t *testing.T) {
	dir := t.TempDir()
	for i := range 9 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".yaml")), []byte(crd(strings.Repeat("a", 100))),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	const size = 9 * (100 + 25)
	for _, c := range []struct {
		change func(*Limits)
		want   string
	}{
		{func(l *Limits) { l.Archive.Entries, l.Archive.Total = 10, size }, ""},
		{func(l *Limits) { l.Archive.Entries = 9 }, "has more than 9 entries"},
		{func(l *Limits) { l.Archive.Total = size - 1 }, "has more than 0 MiB"},
		{func(l *Limits) { l.CRDs = size }, "has more than 0 MiB of CRDs"}, // the names count as well
	} {
		o := Options{Limits: small()}
		c.change(&o.Limits)
		if _, err := fetch(t, dir, o); (err != nil || c.want != "") && fmt.Sprint(err) != dir+": "+c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
