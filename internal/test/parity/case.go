package parity

import (
	"encoding/json"
	"strings"
)

// Request is a request to an API server: an update if there is an old object, otherwise a create.
type Request struct {
	// New and Old are the texts of the object. Old is "" on a create. JSON means that they are parsed as JSON.
	New  string `json:"new"`
	Old  string `json:"old,omitempty"`
	JSON bool   `json:"json,omitempty"`
	// Live means that Old is the live object, with what only the server or an older server sets, such as its status.
	// Otherwise the server creates the live object from Old.
	Live bool `json:"live,omitempty"`
}

// Verdict is the API server's answer.
type Verdict struct {
	Accepted bool `json:"accepted"`
	// Stage is where the request was rejected: decode, metadata, strict, version or validation. It is "" if the
	// request was accepted.
	Stage  string  `json:"stage,omitempty"`
	Causes []Cause `json:"causes,omitempty"`
	// Warnings are the texts of the response's warnings. Only the oracle of built-in kinds records them.
	Warnings []string `json:"warnings,omitempty"`
	// Object is the object that would be stored.
	Object json.RawMessage `json:"-"`
}

// Cause is one reason for a rejection, in the server's words.
type Cause struct {
	Field   string `json:"field,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// Site is the place in upstream's source that made the error, such as "core/validation/validation.go:123". Only some
	// cases of built-in kinds have it.
	Site string `json:"site,omitempty"`
}

// Case is a request with its recorded verdict.
type Case struct {
	// Name describes the request.
	Name string `json:"name"`
	// Schema is the file of the definition, relative to the root of the project. Version is the requested version.
	Schema  string `json:"schema,omitempty"`
	Version string `json:"version,omitempty"`
	// Kind is the apiVersion and kind of an object of a built-in kind, such as "apps/v1 Deployment". Its case has no
	// schema and version.
	Kind string `json:"kind,omitempty"`
	Request
	// Exception names a documented exception from the server's behavior that the verdict takes into account:
	// "status" or "document".
	Exception string  `json:"exception,omitempty"`
	Verdict   Verdict `json:"verdict"`
}

// IsListKind reports whether a kind is that of a list.
func IsListKind(kind string) bool { return strings.HasSuffix(kind, "List") }
