package chart

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// lockFile is the content of Chart.lock (Helm's pkg/chart, Lock).
type lockFile struct {
	Generated    time.Time     `json:"generated"`
	Digest       string        `json:"digest"`
	Dependencies []*Dependency `json:"dependencies"`
}

func (c *Chart) readLock(src *source.Source) error {
	c.lock, c.lockSrc = &lockFile{}, src
	return unmarshalTyped(src, c.lock)
}

// lockFaults reports a lock file that does not fit the dependencies. Then 'helm dependency build' fails (Helm's
// pkg/downloader, Manager.Build).
func (c *Chart) lockFaults() faults {
	if c.lock == nil || c.hasNamedRepository() {
		return nil
	}
	want := []string{digestOf([2][]*Dependency{c.metadata.Dependencies, c.lock.Dependencies})}
	if c.metadata.APIVersion == "v1" { // a lock file of Helm 2
		want = append(want, digestOf(map[string][]*Dependency{"dependencies": c.metadata.Dependencies}))
	}
	for _, digest := range want {
		if digest == c.lock.Digest {
			return nil
		}
	}
	message := "digest: does not match the dependencies in " + fileName(c.dependenciesSrc) +
		", so 'helm dependency build' fails"
	return faults{{
		rule: diag.ChartWarning, message: message, help: "run 'helm dependency update'", at: c.placeOf(c.lockSrc, "digest"),
		related: []diag.Related{{Place: c.placeOf(c.dependenciesSrc, "dependencies"), Message: "the dependencies"}},
	}}
}

// hasNamedRepository reports whether a dependency names its repository by the name that it has on the machine of a
// user. Helm replaces the name by the address before it computes the digest.
func (c *Chart) hasNamedRepository() bool {
	for _, d := range c.metadata.Dependencies {
		if strings.HasPrefix(d.Repository, "@") || strings.HasPrefix(d.Repository, "alias:") {
			return true
		}
	}
	return false
}

// digestOf returns the digest of dependencies (Helm's internal/resolver, HashReq and HashV2Req).
func digestOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}
