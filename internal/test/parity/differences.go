package parity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Difference is a verdict of an older version of Kubernetes on a recorded case, where it is not that of the newest one.
type Difference struct {
	// File is the file of the cases, such as testdata/cases.jsonl.gz, and Index the position in it. The first difference of
	// a file is none, but has the hash of the cases.
	File    string  `json:"file"`
	Hash    string  `json:"hash,omitempty"`
	Index   int     `json:"index,omitempty"`
	Verdict Verdict `json:"verdict,omitzero"`
}

// Hash identifies cases with their verdicts.
func Hash(cases []Case) (string, error) {
	text, err := encode(cases)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// OlderCases returns the cases of a file with the verdicts of an older version.
func OlderCases(differences []Difference, file string, cases []Case) ([]Case, error) {
	hash, err := Hash(cases)
	if err != nil {
		return nil, err
	}
	older := make([]Case, len(cases))
	copy(older, cases)
	found := false
	for _, d := range differences {
		switch {
		case d.File != file:
		case d.Hash == hash:
			found = true
		case d.Hash != "":
			return nil, fmt.Errorf("%s has changed since the verdicts of older versions were recorded", file)
		case d.Index >= len(older):
			return nil, fmt.Errorf("%s has no case %d", file, d.Index)
		default:
			older[d.Index].Verdict = d.Verdict
		}
	}
	if !found {
		return nil, fmt.Errorf("no verdicts on the cases of %s are recorded", file)
	}
	return older, nil
}
