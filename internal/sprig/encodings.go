package sprig

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash/adler32"
	"strconv"
	"strings"
	"text/template"
)

// encodings returns the functions that encode and decode texts, and those that compute their hashes.
func encodings() template.FuncMap {
	return template.FuncMap{
		"b64enc": func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
		"b64dec": func(text string) string { return decoded(base64.StdEncoding.DecodeString(text)) },
		"b32enc": func(text string) string { return base32.StdEncoding.EncodeToString([]byte(text)) },
		"b32dec": func(text string) string { return decoded(base32.StdEncoding.DecodeString(text)) },
		"sha1sum": func(text string) string {
			sum := sha1.Sum([]byte(text))
			return hex.EncodeToString(sum[:])
		},
		"sha256sum": func(text string) string {
			sum := sha256.Sum256([]byte(text))
			return hex.EncodeToString(sum[:])
		},
		"sha512sum": func(text string) string {
			sum := sha512.Sum512([]byte(text))
			return hex.EncodeToString(sum[:])
		},
		"adler32sum": func(text string) string { return strconv.FormatUint(uint64(adler32.Checksum([]byte(text))), 10) },
		"decryptAES": decryptAES,
		"fromJson":   func(text string) any { v, _ := fromJSON(text); return v }, "mustFromJson": fromJSON,
		"toJson": func(v any) string { text, _ := toJSON(v); return text }, "mustToJson": toJSON,
		"toPrettyJson": func(v any) string { text, _ := toPrettyJSON(v); return text }, "mustToPrettyJson": toPrettyJSON,
		"toRawJson": orPanic(toRawJSON), "mustToRawJson": toRawJSON,
	}
}

func decoded(text []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func fromJSON(text string) (any, error) {
	var v any
	err := json.Unmarshal([]byte(text), &v)
	return v, err
}

func toJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}

func toPrettyJSON(v any) (string, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return string(text), err
}

func toRawJSON(v any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(&v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// decryptAES decrypts what encryptAES of sprig encrypts: AES-256 in CBC mode, with the initial block before the text.
func decryptAES(password, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	key := make([]byte, 32)
	copy(key, password)
	crypt, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", err
	}
	first, crypt := crypt[:aes.BlockSize], crypt[aes.BlockSize:]
	plain := make([]byte, len(crypt))
	cipher.NewCBCDecrypter(block, first).CryptBlocks(plain, crypt)
	return string(plain[:len(plain)-int(plain[len(plain)-1])]), nil
}
