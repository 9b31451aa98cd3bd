package engine

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"text/template"
	"time"
)

// fixedTime is the time of a render.
var fixedTime = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

const fixedUUID = "00000000-0000-4000-8000-000000000000"

// fixedFunctions returns replacements of the functions of sprig whose results differ from run to run or from
// machine to machine. They have the same form.
func fixedFunctions() template.FuncMap {
	letters := func(alphabet string) func(int) string { return func(n int) string { return cycle(alphabet, n) } }
	return template.FuncMap{
		"now": func() time.Time { return fixedTime }, "ago": func(any) string { return "0s" },
		"date": formatted, "htmlDate": func(date any) string { return formatted(time.DateOnly, date) },
		"dateInZone":     func(layout string, date any, _ string) string { return formatted(layout, date) },
		"date_in_zone":   func(layout string, date any, _ string) string { return formatted(layout, date) },
		"htmlDateInZone": func(date any, _ string) string { return formatted(time.DateOnly, date) },
		"toDate":         func(layout, text string) time.Time { t, _ := time.Parse(layout, text); return t },
		"mustToDate":     time.Parse,
		"randAlphaNum":   letters("abcdefghijklmnopqrstuvwxyz0123456789"),
		"randAlpha":      letters("abcdefghijklmnopqrstuvwxyz"),
		"randAscii":      letters("abcdefghijklmnopqrstuvwxyz0123456789"), "randNumeric": letters("1234567890"),
		"randBytes": func(n int) string { return base64.StdEncoding.EncodeToString([]byte(cycle("a", n))) },
		"randInt":   func(least, _ int) int { return least }, "shuffle": func(text string) string { return text },
		"uuidv4": func() string { return fixedUUID },
		"bcrypt": func(string) string { return fixedHash },
		"htpasswd": func(user, _ string) string {
			return user + ":" + fixedHash
		},
		"derivePassword": func(uint32, string, string, string, string) string { return cycle("Abcd1234", 20) },
		"encryptAES": func(_, text string) (string, error) {
			return base64.StdEncoding.EncodeToString([]byte(text)), nil
		},
		"genPrivateKey":   func(string) string { return newCertificate("").Key },
		"buildCustomCert": customCertificate,
		"genCA":           func(cn string, _ int) certificate { return newCertificate(cn) },
		"genCAWithKey":    func(cn string, _ int, _ string) certificate { return newCertificate(cn) },
		"genSelfSignedCert": func(cn string, _ []any, _ []any, _ int) certificate {
			return newCertificate(cn)
		},
		"genSelfSignedCertWithKey": func(cn string, _ []any, _ []any, _ int, _ string) certificate {
			return newCertificate(cn)
		},
		"genSignedCert": func(cn string, _ []any, _ []any, _ int, _ certificate) certificate { return newCertificate(cn) },
		"genSignedCertWithKey": func(cn string, _ []any, _ []any, _ int, _ certificate, _ string) certificate {
			return newCertificate(cn)
		},
	}
}

// fixedHash has the form of a hash of bcrypt.
const fixedHash = "$2a$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234"

// cycle returns n characters of an alphabet.
func cycle(alphabet string, n int) string {
	n = min(max(n, 0), maxString)
	return strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

// formatted formats a date as sprig does, in UTC.
func formatted(layout string, date any) string {
	t := fixedTime
	switch d := date.(type) {
	case time.Time:
		t = d
	case *time.Time:
		t = *d
	case int64:
		t = time.Unix(d, 0)
	case int:
		t = time.Unix(int64(d), 0)
	case int32:
		t = time.Unix(int64(d), 0)
	}
	return t.UTC().Format(layout)
}

// certificate is a certificate and its key, in PEM.
type certificate struct {
	Cert, Key string
}

// standIn is the header of all generated keys. The rule about private keys in manifests does not match a key with a
// header: the key is in no file.
var standIn = map[string]string{"Stand-In": "a new key in each render"}

// newCertificate returns a valid certificate of a certification authority. The same name gives the same certificate.
func newCertificate(name string) certificate {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: fixedTime,
		NotAfter: fixedTime.AddDate(100, 0, 0), IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(zeroes{}, of, of, key.Public(), key)
	if err != nil {
		panic("a certificate without names and with a serial number can be signed: " + err.Error())
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic("a key can be written: " + err.Error())
	}
	return certificate{
		Cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		Key:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private, Headers: standIn})),
	}
}

// zeroes is an endless stream of zero bytes.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// customCertificate decodes a certificate and its key.
func customCertificate(cert, key string) (certificate, error) {
	decodedCert, err := base64.StdEncoding.DecodeString(cert)
	if err != nil {
		return certificate{}, errors.New("unable to decode base64 certificate")
	}
	decodedKey, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return certificate{}, errors.New("unable to decode base64 private key")
	}
	return certificate{string(decodedCert), string(decodedKey)}, nil
}
