package native

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
)

// Keys and certificates belong together where crypto/tls, which this package does not link, says so.
func TestKeyPairsAreThoseOfTLS(t *testing.T) {
	_, one, _ := ed25519.GenerateKey(rand.Reader)
	two, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	three, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ec, _ := x509.MarshalECPrivateKey(two)
	keys := map[string][]byte{
		"Ed25519, PKCS 8": block("PRIVATE KEY", pkcs8(t, one)), "ECDSA, PKCS 8": block("PRIVATE KEY", pkcs8(t, two)),
		"ECDSA": block("EC PRIVATE KEY", ec), "RSA": block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(three)),
		"ECDSA after parameters": append(block("EC PARAMETERS", []byte{1}), block("EC PRIVATE KEY", ec)...),
		"no key":                 block("PRIVATE KEY", []byte{1}), "nothing": nil,
		"another kind": block("PUBLIC KEY", pkcs8(t, one)),
	}
	certificates := map[string][]byte{"nothing": nil, "no certificate": block("CERTIFICATE", []byte{1})}
	for name, key := range map[string]crypto.Signer{"Ed25519": one, "ECDSA": two, "RSA": three} {
		template := &x509.Certificate{SerialNumber: big.NewInt(1)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		certificates[name] = block("CERTIFICATE", der)
		certificates[name+" after a key"] = append(block("PRIVATE KEY", pkcs8(t, one)), certificates[name]...)
	}
	pairs := 0
	for c, certificate := range certificates {
		for k, key := range keys {
			_, err := tls.X509KeyPair(certificate, key)
			if have := belongTogether(certificate, key); have != (err == nil) {
				t.Errorf("certificate %s, key %s: have %v, crypto/tls says %v", c, k, have, err)
			} else if have {
				pairs++
			}
		}
	}
	if pairs != 10 {
		t.Errorf("%d pairs belong together, want 10", pairs)
	}
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func pkcs8(t *testing.T, key any) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}
