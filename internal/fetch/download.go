package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"time"
)

// maxRedirects is the maximum number of redirects. GitHub archives need one. Without it, two servers could redirect to
// each other for ever.
const maxRedirects = 5

// download gets the files of a URL.
func (f *Fetched) download(ctx context.Context, s Source, o Options) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "kindvet")
	o.Say("fetching " + s.url)
	client := o.client()
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return s.notFetched(response.Status)
	}
	return f.read(path.Base(request.URL.Path), response.Body, s)
}

// notFetched returns a message about a server that did not send the requested file.
func (s Source) notFetched(status string) error {
	if s.kind == ofProject {
		return fmt.Errorf("%s: %s; versions are written as in %s", s.url, status, s.project.Source())
	}
	return errors.New(status)
}

// client returns a client without cookies and credentials that follows redirects only to https.
func (o Options) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    20 * time.Second,
			ResponseHeaderTimeout:  60 * time.Second,
			MaxResponseHeaderBytes: 1 << 20,
			DisableCompression:     true, // this package counts the bytes after decompression
		},
		CheckRedirect: func(to *http.Request, from []*http.Request) error {
			if err := checkURL(to.URL.String()); err != nil {
				return fmt.Errorf("redirects to %s: %w", withoutQuery(to.URL), err)
			}
			if len(from) > maxRedirects {
				return fmt.Errorf("redirects more than %d times", maxRedirects)
			}
			to.Header.Del("Referer")
			o.Say("redirected to " + withoutQuery(to.URL))
			return nil
		},
	}
}

// withoutQuery returns a URL without its query, which may contain a signature.
func withoutQuery(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
