// Package parity holds verdicts of upstream's own code, and compares ours with them.
//
// The verdicts are recorded by upstream's code in the nested module internal/oracle; the comparison needs
// nothing of it.
package parity

import (
	"encoding/json"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/check"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/source"
)

// Request is what is sent to an API server: a create, or, where there is an old object, an update.
type Request struct {
	// New and Old are the texts of the object; Old is "" on a create. JSON says how they are read.
	New  string `json:"new"`
	Old  string `json:"old,omitempty"`
	JSON bool   `json:"json,omitempty"`
}

// Verdict is the API server's answer.
type Verdict struct {
	Accepted bool `json:"accepted"`
	// Stage is where the request was rejected: decode, metadata, strict, version, validation; "" where it was accepted.
	Stage  string  `json:"stage,omitempty"`
	Causes []Cause `json:"causes,omitempty"`
	// Object is what would be stored.
	Object json.RawMessage `json:"-"`
}

// Cause is one reason of a rejection, in the server's words.
type Cause struct {
	Field   string `json:"field,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
}

// Case is a request with its recorded verdict.
type Case struct {
	// Name says what is true of the request.
	Name string `json:"name"`
	// Schema is the file of the definition, below the root of the project; Version is the version of it that is asked.
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Request
	// Exception names a documented exception from the server's behaviour, which the verdict allows for: "status" or
	// "document".
	Exception string  `json:"exception,omitempty"`
	Verdict   Verdict `json:"verdict"`
}

// Registry holds the kinds of one definition. The violations are those of the definition itself.
func Registry(definition string) (*catalog.Catalog, []diag.Violation) {
	kinds, _, violations := catalog.ReadCRDs(&source.Source{Name: "definition.yaml", Text: definition})
	for _, e := range kinds {
		violations = append(violations, e.Violations()...)
	}
	return catalog.New(kinds), violations
}

// Check is our verdict on a request.
func Check(r *catalog.Catalog, q Request) []diag.Violation {
	name := "object.yaml"
	if q.JSON {
		name = "object.json"
	}
	o := check.Options{Catalog: r, UnknownKinds: check.Fail}
	if q.Old != "" {
		o.Old = check.NewOldObjects()
		o.Old.Add(name, q.Old)
	}
	return check.New(o).Check(&check.Memory{}, &source.Source{Name: name, Text: q.New}, check.File{}).Violations
}
