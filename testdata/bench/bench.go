// Package bench writes the inputs that kindvet is measured on: small files of the embedded kinds, some of them
// faulty, long streams, a long list and a long document.
//
// The text depends on the seed and the counts alone, so that everyone measures the same bytes. Beside the package,
// generate writes all inputs into a folder, and compare measures kindvet and its peers on them:
//
//	go run ./testdata/bench/compare
package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Seed is the seed of the published figures.
const Seed = 1

// Fault is what is wrong with a document; the zero value is nothing.
type Fault uint8

// The faults are made in turn.
const (
	Sound Fault = iota
	WrongType
	UnknownField
	FailedRule
	DuplicateKey
)

// Faults are all faults in the order in which they are made.
var Faults = [...]Fault{WrongType, UnknownField, FailedRule, DuplicateKey}

// Rule is the rule that a document with the fault breaks, once, as kindvet names it; "" for a sound document.
func (f Fault) Rule() string {
	return [...]string{"", "wrong-type", "unknown-field", "cel", "duplicate-key"}[f]
}

// draft is a document that is being written.
type draft struct {
	random *rand.Rand
	fault  Fault
	text   bytes.Buffer
}

func newDraft(seed uint64) *draft { return &draft{random: rand.New(rand.NewPCG(seed, 0))} }

// start begins another document.
func (d *draft) start(fault Fault) {
	d.fault = fault
	d.text.Reset()
}

func (d *draft) line(format string, arguments ...any) {
	fmt.Fprintf(&d.text, format+"\n", arguments...)
}

// faulty writes a line that only a document with the fault has. A fault is made once.
func (d *draft) faulty(f Fault, line string) {
	if d.fault == f {
		d.line("%s", line)
		d.fault = Sound
	}
}

// unless is what a document has that is free of the fault, or else what is there instead. A fault is made once.
func (d *draft) unless(f Fault, sound, wrong string) string {
	if d.fault != f {
		return sound
	}
	d.fault = Sound
	return wrong
}

// chance is true once in n times.
func (d *draft) chance(n int) bool { return d.random.IntN(n) == 0 }

// between is at least low and less than high.
func (d *draft) between(low, high int) int { return low + d.random.IntN(high-low) }

func (d *draft) pick(words []string) string { return words[d.random.IntN(len(words))] }

// letters draws n of the characters.
func (d *draft) letters(n int, characters string) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = characters[d.random.IntN(len(characters))]
	}
	return string(text)
}

const (
	hexadecimal = "0123456789abcdef"
	alphabet    = "abcdefghijklmnopqrstuvwxyz0123456789"
)

var (
	products     = strings.Fields("checkout cart search catalogue invoice ledger mail pricing profile session stock voucher")
	parts        = strings.Fields("api batch cache frontend gateway proxy queue scheduler web worker")
	teams        = strings.Fields("payments platform research shop storage support")
	environments = strings.Fields("development staging production")
	zones        = strings.Fields("eu-1a eu-1b eu-1c us-2a us-2b")
)

// name draws a name such as "cart-worker-x7k2p".
func (d *draft) name() string {
	return d.pick(products) + "-" + d.pick(parts) + "-" + d.letters(5, alphabet)
}

// head writes what all documents have; a namespace only where scope has one.
func (d *draft) head(apiVersion, kind, name string, scope scope) {
	team := d.pick(teams)
	d.line("apiVersion: %s", apiVersion)
	d.line("kind: %s", kind)
	d.line("metadata:")
	d.line("  name: %s", name)
	if scope == namespaced {
		d.line("  namespace: %s-%s", team, d.pick(environments))
	}
	d.line("  labels:")
	d.line("    app.kubernetes.io/name: %s", name)
	if d.chance(2) {
		d.line("    app.kubernetes.io/part-of: %s", d.pick(products))
	}
	d.line("    team: %s", team)
	if d.chance(3) {
		d.line("  annotations:")
		d.line(`    example.com/owner: "%s@example.com"`, team)
		d.line(`    example.com/change: "%d"`, d.between(1000, 99999))
	}
}

type scope uint8

const (
	namespaced scope = iota
	cluster
)
