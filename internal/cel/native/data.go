package native

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strconv"
	"strings"
)

// indexCount(text, limit) returns the number of indexes that a text such as 0-2,5 lists, or -1 if it is not a list of
// indexes below the limit in increasing order (k8s.io/kubernetes, pkg/apis/batch/validation.validateIndexesFormat).
func indexCount(_ *Meter, args []Value) Value {
	text, limit := args[0].orText(), int(args[1].Integer)
	if text.Kind != String {
		return Value{}
	}
	if text.Text == "" {
		return Int(0)
	}
	total, last, isFirst := 0, 0, true
	for part := range strings.SplitSeq(text.Text, ",") {
		low, high, isPair := strings.Cut(part, "-")
		if !isPair {
			high = low
		}
		x, errX := strconv.Atoi(low)
		y, errY := strconv.Atoi(high)
		if errX != nil || errY != nil || y >= limit || x > y || isPair && x == y || !isFirst && x <= last {
			return Int(-1)
		}
		total, last, isFirst = total+y-x+1, y, false
	}
	return Int(int64(total))
}

// dataSize(v) returns the total size of the values of a map of strings or of base64, in bytes.
func dataSize(m *Meter, args []Value) Value {
	v := args[0]
	if v.Kind != Object {
		return Int(0)
	}
	size := 0
	isBase64 := v.Schema.Additional != nil && v.Schema.Additional.Format == "byte"
	for n := range v.Node.Children() {
		text := n.Text()
		m.spend(1 + len(text)/8)
		if isBase64 {
			digits := len(text) - strings.Count(text, "\n") - strings.Count(text, "\r") - strings.Count(text, "=")
			size += digits * 3 / 4
		} else {
			size += len(text)
		}
	}
	return Int(int64(size))
}

// isKeyPair(certificate, key) reports whether a certificate and a private key belong together. Each is PEM or the
// base64 of it.
func isKeyPair(m *Meter, args []Value) Value {
	certificate, key := args[0].orText().Text, args[1].orText().Text
	m.spend(len(certificate) + len(key))
	return Bool(belongTogether(pemOf(certificate), pemOf(key)))
}

// belongTogether reports whether the first certificate has the public key of the first private key, as
// crypto/tls.X509KeyPair does.
func belongTogether(certificates, keys []byte) bool {
	certificate := pemBlock(certificates, func(kind string) bool { return kind == "CERTIFICATE" })
	key := pemBlock(keys, func(kind string) bool {
		return kind == "PRIVATE KEY" || strings.HasSuffix(kind, " PRIVATE KEY")
	})
	if certificate == nil || key == nil {
		return false
	}
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		return false
	}
	private, ok := privateKey(key)
	if !ok {
		return false
	}
	public, ok := private.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(parsed.PublicKey)
}

// pemBlock returns the content of the first block of a kind, or nil.
func pemBlock(text []byte, isKind func(string) bool) []byte {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return nil
		}
		if isKind(block.Type) {
			return block.Bytes
		}
	}
}

// privateKey parses a private key in one of its three encodings.
func privateKey(der []byte) (crypto.Signer, bool) {
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, true
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key, true
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	signer, ok := key.(crypto.Signer)
	return signer, err == nil && ok
}

func pemOf(text string) []byte {
	if strings.Contains(text, "-----BEGIN") {
		return []byte(text)
	}
	decoded, _ := base64.StdEncoding.DecodeString(text)
	return decoded
}
