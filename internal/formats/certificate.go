package formats

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
)

// isCertificateRequest is pkg/apis/certificates/validation, validateCSR, for the base64 of a request.
func isCertificateRequest(text string) bool {
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	block, _ := pem.Decode(decoded)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return false
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	return err == nil && request.CheckSignature() == nil
}

// isPodCertificateRequest is pkg/apis/certificates/validation, validateStubPKCS10Request, for the base64 of a request.
func isPodCertificateRequest(text string) bool {
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(decoded) > 10<<10 {
		return false
	}
	request, err := x509.ParseCertificateRequest(decoded)
	return err == nil && isKeyOfPods(request.PublicKey) && request.CheckSignature() == nil
}

// isKeyOfPods reports whether a server allows the key for certificates of pods.
func isKeyOfPods(key any) bool {
	switch key := key.(type) {
	case ed25519.PublicKey:
		return true
	case *ecdsa.PublicKey:
		return key.Curve == elliptic.P256() || key.Curve == elliptic.P384() || key.Curve == elliptic.P521()
	case *rsa.PublicKey:
		return key.Size() == 3072/8 || key.Size() == 4096/8
	}
	return false
}

// isTrustBundle is pkg/apis/certificates/validation, validateTrustBundle.
func isTrustBundle(text string) bool {
	if len(text) > 1<<20 {
		return false
	}
	seen := map[string]bool{}
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 || seen[string(block.Bytes)] {
			return false
		}
		seen[string(block.Bytes)] = true
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !certificate.IsCA || !certificate.BasicConstraintsValid {
			return false
		}
	}
	return len(seen) > 0
}
