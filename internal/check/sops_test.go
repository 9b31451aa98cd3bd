package check

import "testing"

func TestAnEncryptedValueHasTheWholeForm(t *testing.T) {
	for text, want := range map[string]bool{
		"ENC[AES256_GCM,data:a/b+c==,iv:YY=,tag:aa==,type:str]": true,
		"ENC[AES256_GCM,":                                false,
		"ENC[AES256_GCM,zz]":                             false,
		"ENC[AES256_GCM,data:a,iv:b,tag:c,type:str":      false,
		"ENC[AES256_GCM,data:a,iv:b,tag:c]":              false,
		"ENC[AES256_GCM,data:,iv:b,tag:c,type:str]":      false,
		"ENC[AES256_GCM,iv:b,data:a,tag:c,type:str]":     false,
		"ENC[AES256_GCM,data:a,iv:b,tag:c,type:str,x:y]": false,
		"xENC[AES256_GCM,data:a,iv:b,tag:c,type:str]":    false,
	} {
		if have := isEncryptedText(text); have != want {
			t.Errorf("%q: have %v, want %v", text, have, want)
		}
	}
}
