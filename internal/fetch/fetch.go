// Package fetch gets CustomResourceDefinitions from files, charts, URLs, git repositories, the current cluster, and
// well-known projects. No other package uses the network, and only 'kindvet schemas add' and 'update' use this package.
//
// # Restrictions
//
// Only https:// URLs are fetched, including redirects. No credentials are sent: a URL with a user name is rejected,
// and there are no cookies. The only settings that are read are those of the proxy (HTTPS_PROXY, NO_PROXY). Each
// download is limited in size, both compressed and uncompressed, in number of files and in time.
package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/archive"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/kubectl"
	"github.com/kindvet/kindvet/internal/openapi"
	"github.com/kindvet/kindvet/internal/projects"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/store"
)

// Options say how to fetch.
type Options struct {
	// Checked is the directory whose files are checked. Programs below it are not used.
	Checked string
	// Say is called with a description of each fetch before it starts.
	Say func(string)
	// Limits restrict what is fetched. The zero value means [DefaultLimits].
	Limits Limits
	// Roots are the trusted certificates, for tests; nil means those of the system. GitProtocols and GitSettings are
	// those of [git.Remote].
	Roots        *x509.CertPool
	GitProtocols string
	GitSettings  []string
}

// Limits are the limits for one source.
type Limits struct {
	// Download is the maximum size of an archive or a git repository, Text that of a file that is not an archive,
	// both in bytes.
	Download, Text int64
	// Archive limits the content of an archive, a directory or a git repository.
	Archive archive.Limits
	// CRDs is the maximum size of all files with CRDs, in bytes. Only these are kept in memory.
	CRDs int64
	Time time.Duration
}

// DefaultLimits returns limits that are far above what projects publish. The largest known project unpacked,
// config-connector, has 39,000 files and 392 MiB, and the largest CRDs, those of crossplane-provider-aws, have 94 MiB.
func DefaultLimits() Limits {
	return Limits{
		Download: 512 << 20, Text: 64 << 20, CRDs: 256 << 20, Time: 10 * time.Minute,
		Archive: archive.Limits{Total: 2 << 30, File: 64 << 20, Entries: 200_000},
	}
}

// reason replaces the error of a source that took too long. Other timeouts, such as that of a TLS handshake, may end
// early, and their errors pass for that of a deadline as well.
func (l Limits) reason(err error, isEarly bool) error {
	if isEarly || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("took more than %v", l.Time)
}

// Fetched is the content of a source.
type Fetched struct {
	// Source describes the source, without files.
	Source store.Source
	// Files are the files that were read. The text of a file that cannot have a CRD is "".
	Files []*source.Source

	size    int64 // of Files
	limits  Limits
	project projects.Project // or the zero value
}

// Fetch gets the files of a source. The error names it.
func Fetch(ctx context.Context, s Source, o Options) (*Fetched, error) {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	deadline := time.Now().Add(o.Limits.Time)
	limited, end := context.WithDeadline(ctx, deadline)
	defer end()
	f := &Fetched{Source: store.Source{Name: s.Name, Version: s.Version}, limits: o.Limits, project: s.project}
	err := f.fetch(limited, s, o)
	if err == nil {
		err = limited.Err() // a text that the deadline cut may look complete
	}
	if ctx.Err() == nil {
		err = o.Limits.reason(err, time.Now().Before(deadline))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Text, err)
	}
	return f, nil
}

func (f *Fetched) fetch(ctx context.Context, s Source, o Options) error {
	switch s.kind {
	case ofPath:
		return f.readPath(s.Name)
	case ofCluster:
		o.Say("asking the current cluster with kubectl")
		text, err := kubectl.CRDs(ctx, o.Checked, o.Limits.Archive.File)
		if err != nil {
			return err
		}
		return f.add("cluster", text)
	case ofGit:
		o.Say("fetching " + s.Version + " of " + s.url)
		return f.fetchGit(ctx, s, o)
	}
	f.Source.From = s.url
	return f.download(ctx, s, o)
}

// add adds a file. It keeps the name of a file without CRDs: in a tar archive the file may replace an earlier one.
func (f *Fetched) add(name, text string) error {
	if _, below, _ := strings.Cut(name, "/"); f.project.OpenAPI.File != "" && below == f.project.OpenAPI.File {
		list, err := openapi.CRDs(text, f.project.OpenAPI)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text = list
	}
	if !store.MayHaveCRDs(text) {
		text = ""
	}
	if f.size += int64(len(name) + len(text)); f.size > f.limits.CRDs {
		return fmt.Errorf("has more than %d MiB of CRDs", f.limits.CRDs>>20)
	}
	f.Files = append(f.Files, &source.Source{Name: name, Text: text})
	return nil
}

// fetchGit fetches files from a git repository.
func (f *Fetched) fetchGit(ctx context.Context, s Source, o Options) error {
	l := o.Limits
	remote := git.Remote{
		URL: s.url, Version: s.Version, Checked: o.Checked, Protocols: o.GitProtocols, Settings: o.GitSettings,
		MaxBytes: l.Download, MaxFile: l.Archive.File, MaxTotal: l.Archive.Total, MaxFiles: l.Archive.Entries,
	}
	commit, err := git.Fetch(ctx, remote, s.wants, f.add)
	f.Source.From, f.Source.Commit = s.url, commit
	return err
}
