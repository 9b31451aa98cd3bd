// Package fetch gets CustomResourceDefinitions from elsewhere: files, charts, URLs, git repositories, the current
// cluster, and the known projects by their names. No other package uses the network, and only 'kindvet schemas add'
// uses this one.
//
// # What may be fetched
//
// Only https:// URLs are fetched, and redirects lead only to others. No credentials are sent: a URL with a user name
// is rejected, there are no cookies, and no settings are read but those of the proxy (HTTPS_PROXY, NO_PROXY). Each
// download has a limit of bytes, packed and unpacked, of files and of time.
package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/kindvet/kindvet/internal/archive"
	"github.com/kindvet/kindvet/internal/git"
	"github.com/kindvet/kindvet/internal/kubectl"
	"github.com/kindvet/kindvet/internal/source"
	"github.com/kindvet/kindvet/internal/store"
)

// Options say how to fetch.
type Options struct {
	// Checked is the directory whose files are checked: programs below it are not used.
	Checked string
	// Say is told what is fetched, before it is.
	Say func(string)
	// Limits bound what is fetched; the zero value stands for those of [DefaultLimits].
	Limits Limits
	// Roots are the certificates to trust, in a test; nil for those of the system. GitProtocols and GitSettings are
	// those of [git.Remote].
	Roots        *x509.CertPool
	GitProtocols string
	GitSettings  []string
}

// Limits bound what is fetched for one source.
type Limits struct {
	// Download is the most bytes of an archive or a git repository, and Text of a file that is not an archive.
	Download, Text int64
	// Archive bounds what an archive holds.
	Archive archive.Limits
	Time    time.Duration
}

// DefaultLimits are far above what projects publish: the largest archive of a known project has 20 MiB, 13,000 files
// and 100 MiB when it is unpacked.
func DefaultLimits() Limits {
	return Limits{
		Download: 512 << 20, Text: 64 << 20, Time: 10 * time.Minute,
		Archive: archive.Limits{Total: 2 << 30, File: 64 << 20, Entries: 200_000},
	}
}

// Fetched is what was found at a source.
type Fetched struct {
	// Source says where it came from, without files.
	Source store.Source
	// Files are the texts that may hold CRDs.
	Files []*source.Source
}

// Fetch gets the files of a source. The error names it.
func Fetch(ctx context.Context, s Source, o Options) (*Fetched, error) {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	limited, end := context.WithTimeoutCause(ctx, o.Limits.Time, fmt.Errorf("took more than %v", o.Limits.Time))
	defer end()
	f := &Fetched{Source: store.Source{Name: s.Name, Version: s.Version}}
	err := f.fetch(limited, s, o)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		err = context.Cause(limited)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Text, err)
	}
	return f, nil
}

func (f *Fetched) fetch(ctx context.Context, s Source, o Options) error {
	switch s.kind {
	case ofPath:
		return f.readPath(s.Name, o.Limits)
	case ofCluster:
		o.Say("asking the current cluster with kubectl")
		text, err := kubectl.CRDs(ctx, o.Checked, o.Limits.Archive.File)
		f.add("cluster", text)
		return err
	case ofGit:
		o.Say("fetching " + s.Version + " of " + s.url)
		return f.fetchGit(ctx, s, o)
	}
	f.Source.From = s.url
	return f.download(ctx, s, o)
}

func (f *Fetched) add(name, text string) {
	f.Files = append(f.Files, &source.Source{Name: name, Text: text})
}

// fetchGit gets files of a git repository.
func (f *Fetched) fetchGit(ctx context.Context, s Source, o Options) error {
	remote := git.Remote{
		URL: s.url, Version: s.Version, Checked: o.Checked, MaxBytes: o.Limits.Download, Protocols: o.GitProtocols, Settings: o.GitSettings,
	}
	files, commit, err := git.Fetch(ctx, remote, s.wants)
	if err != nil {
		return err
	}
	f.Source.From, f.Source.Commit = s.url, commit
	for _, file := range files {
		f.add(file.Name, file.Text)
	}
	return nil
}
