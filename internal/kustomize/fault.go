package kustomize

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/lfs"
	"github.com/kindvet/kindvet/internal/manifest"
	"github.com/kindvet/kindvet/internal/source"
)

// Fault is why a kustomization is not built.
type Fault struct {
	Violation diag.Violation
	// Others are further faults of the same kustomization.
	Others []diag.Violation
	// IsOfFile means that the check of the kustomization file reports the fault, if the file is checked.
	IsOfFile bool
	// File is the kustomization file that has the fault, relative to the top.
	File string
	// isAbsent means that the kustomization can be built without what it names. adds means that this may add objects or
	// fields that the rest of the kustomization needs. reason is the message without what becomes of the kustomization.
	isAbsent, adds bool
	reason         string
	// isWithheld means that the owner has what is absent: git ignores it, or it is in Git LFS.
	isWithheld bool
	// Files are the files that were looked up before, if the kustomization was not loaded.
	Files []string
}

// All returns all violations of a fault.
func (f *Fault) All() []diag.Violation { return append([]diag.Violation{f.Violation}, f.Others...) }

func invalid(message string, at source.Place) diag.Violation {
	return diag.Violation{Rule: diag.InvalidKustomization, Severity: diag.Error, Message: message, Place: at}
}

// fault returns a fault of a layer.
func (l *layer) fault(at source.Place, message string) *Fault {
	return &Fault{Violation: invalid(message, at), File: l.file}
}

// known returns a fault that the check of the kustomization file reports too.
func (l *layer) known(at source.Place, message string) *Fault {
	f := l.fault(at, message)
	f.IsOfFile = true
	return f
}

// What becomes of a kustomization, at the end of a message.
const (
	notBuilt     = ", so the kustomization is not built"
	builtWithout = ", so it is left out of the build"
)

// pipe is the help if kindvet does not do what kustomize does.
const pipe = "to check the result, pipe the output of 'kustomize build' to kindvet"

// unsupported returns the fault that a kustomization names something that kindvet does not use. The rest is built.
func (l *layer) unsupported(n manifest.Node, message string) *Fault {
	f := l.fault(place(n), message+notBuilt)
	f.Violation.Rule, f.Violation.Severity, f.Violation.Help = diag.MissingDependency, diag.Warning, pipe
	f.isAbsent, f.adds, f.reason = true, true, message
	return f
}

// limit returns the fault that a limit of kindvet is exceeded.
func (l *layer) limit(message string) *Fault {
	f := l.fault(place(l.root), message+notBuilt)
	f.Violation.Rule, f.Violation.Help = diag.ReaderLimit, pipe
	return f
}

func (l *layer) remote(n manifest.Node, name string) *Fault {
	return l.unsupported(n, diag.Quote(name)+" is not fetched")
}

// ignored returns the fault that a file does not exist, because git ignores it.
func (l *layer) ignored(n manifest.Node, name string) *Fault {
	f := l.unsupported(n, diag.Quote(name)+" does not exist, and git ignores it")
	f.Violation.Help, f.isWithheld = "create it before the check, as before 'kustomize build'", true
	return f
}

// pointer returns the fault that a file is in Git LFS and was not fetched.
func (l *layer) pointer(n manifest.Node, name string) *Fault {
	f := l.unsupported(n, diag.Quote(name)+" is a Git LFS pointer")
	f.Violation.Help, f.isWithheld = lfs.Help, true
	return f
}

// needed returns the fault of a patch, a component or a replacement. Without one that the owner has, the objects are not
// those that are deployed.
func (f *Fault) needed() *Fault {
	if f != nil && f.isWithheld {
		f.isAbsent = false
	}
	return f
}

// leaveOut records that a layer is built without what a fault is about, and reports whether that is possible.
func (l *layer) leaveOut(fault *Fault) bool {
	if fault == nil || !fault.isAbsent || fault.File != l.file {
		return false
	}
	l.absent = append(l.absent, fault)
	return true
}

// absent returns the fault that a kustomization is built without something; nil if there is no such thing.
func (k *Kustomization) absent() (first *Fault) {
	k.layer.each(func(l *layer) {
		for _, fault := range l.absent {
			switch {
			case first == nil:
				of := *fault
				of.Violation.Message = of.reason + builtWithout
				first = &of
			case len(first.Violation.Related) < mostAbsent:
				first.Violation.Related = append(first.Violation.Related,
					diag.Related{Place: fault.Violation.Place, Message: fault.reason + ", either"})
			}
		}
	})
	return first
}

// mostAbsent is the maximum number of further things that a finding lists. A kustomization of 29 public repositories
// names up to 95 resources, all of which may be missing.
const mostAbsent = 20

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// causeOf returns the last reason in a chain of errors, on one line.
func causeOf(err error) string { return cut(reasonOf(err)) }

// reasonOf is like causeOf, but the text may be long.
func reasonOf(err error) string {
	text := err.Error()
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		text = of.Err.Error()
	}
	for _, prefix := range []string{"invalid Kustomization: ", "error converting YAML to JSON: ", "json: ", "yaml: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return strings.Join(strings.Fields(text), " ")
}
