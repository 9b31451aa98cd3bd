package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveSite lets a session fetch from https://example.com and https://github.com. The files are in the directory www
// of the session, by host and path. A file NAME.redirect contains the URL to which NAME redirects. The program reaches
// the server through a proxy, and SSL_CERT_FILE names the certificate, so it runs as it does for a user.
func serveSite(e *testscript.Env) error {
	root := filepath.Join(e.WorkDir, "www")
	if _, err := os.Stat(root); err != nil {
		return nil
	}
	certificate, err := newCertificate(filepath.Join(e.WorkDir, "roots.pem"))
	if err != nil {
		return err
	}
	site, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return err
	}
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	quiet := log.New(io.Discard, "", 0)
	for listener, handler := range map[net.Listener]http.HandlerFunc{
		site: files(root), proxy: tunnel(site.Addr().String()),
	} {
		server := &http.Server{Handler: handler, ErrorLog: quiet}
		go server.Serve(listener)
		e.Defer(func() { server.Close() })
	}
	e.Setenv("HTTPS_PROXY", "http://"+proxy.Addr().String())
	e.Setenv("SSL_CERT_FILE", filepath.Join(e.WorkDir, "roots.pem"))
	return nil
}

// newCertificate creates a certificate for the hosts of a site, and writes it to a file.
func newCertificate(file string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"example.com", "github.com", "codeload.github.com"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(file, text, 0o600)
}

func files(root string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Join(root, r.Host, filepath.FromSlash(r.URL.Path))
		if to, err := os.ReadFile(name + ".redirect"); err == nil {
			http.Redirect(w, r, strings.TrimSpace(string(to)), http.StatusFound)
			return
		}
		text, err := os.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Write(text)
	}
}

// tunnel is a proxy that forwards each connection to one address.
func tunnel(address string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only https", http.StatusForbidden)
			return
		}
		there, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		here, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			there.Close()
			return
		}
		io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { defer there.Close(); io.Copy(there, here) }()
		go func() { defer here.Close(); io.Copy(here, there) }()
	}
}
