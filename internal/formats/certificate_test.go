package formats

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// authority returns a certificate in PEM format, of an authority or not, for a key made of a byte.
func authority(t *testing.T, seed byte, isCA bool) string {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1e9, 0), IsCA: isCA, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestATrustBundleHasCertificatesOfAuthoritiesOnce(t *testing.T) {
	first, second := authority(t, 1, true), authority(t, 2, true)
	for text, want := range map[string]bool{
		first: true, first + second: true, "a comment\n" + first + "between\n" + second: true,
		"": false, "text": false, first + first: false, first + second + first: false, authority(t, 1, false): false, requestPEM: false,
		first + authority(t, 2, false): false, strings.Replace(first, "-----\n", "-----\nName: value\n\n", 1): false,
		first + requestPEM: false, strings.Replace(first, "MI", "MJ", 1): false, strings.Repeat(" ", 1<<20) + first: false,
		strings.Repeat(" ", 1<<20-len(first)-1) + "\n" + first: true,
	} {
		if have := hasFormat(t, "trust-bundle", text); have != want {
			t.Errorf("%.200s: have %t", text, have)
		}
	}
}

func TestARequestForAPodHasAKeyOfCertainTypesAndASignature(t *testing.T) {
	request := func(key crypto.Signer, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
		if err != nil {
			t.Fatal(err)
		}
		return string(der)
	}
	curve := func(c elliptic.Curve) string { return request(ecdsa.GenerateKey(c, rand.Reader)) }
	good := request(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), nil)
	for der, want := range map[string]bool{
		good: true, curve(elliptic.P256()): true, curve(elliptic.P384()): true, curve(elliptic.P521()): true,
		request(rsa.GenerateKey(rand.Reader, 3072)): true, request(rsa.GenerateKey(rand.Reader, 2048)): false, curve(elliptic.P224()): false,
		good[:len(good)-1] + string(good[len(good)-1]^1): false, requestPEM: false, "": false, good + strings.Repeat(" ", 10<<10): false,
	} {
		if have := hasFormat(t, "pod-certificate-request", base64.StdEncoding.EncodeToString([]byte(der))); have != want {
			t.Errorf("%.20q: have %t", der, have)
		}
	}
	if hasFormat(t, "pod-certificate-request", "?") {
		t.Error("not base64")
	}
}
