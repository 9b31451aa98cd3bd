//go:build sites

package builtin

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	fielderrors "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kindvet/kindvet/internal/parity"
)

// made is an error and the place in upstream's source that made it.
type made struct {
	err  *fielderrors.Error
	site string
}

// recorder collects the errors of one request at a time.
type recorder struct {
	lock sync.Mutex
	made []made
}

// SiteVerdict returns the verdict on a request and the error sites behind its causes, such as
// "core/validation/validation.go:123". Only one goroutine may call it.
func (s *Server) SiteVerdict(r parity.Request) (parity.Verdict, []string) {
	var all recorder
	fielderrors.Record = all.add
	v := s.Verdict(r)
	fielderrors.Record = nil
	all.lock.Lock()
	defer all.lock.Unlock()
	if v.Stage != "validation" {
		return v, nil
	}
	var sites []string
	for _, m := range all.made {
		reported := func(c parity.Cause) bool { return c.Field == m.err.Field && c.Message == m.err.ErrorBody() }
		if slices.ContainsFunc(v.Causes, reported) {
			sites = append(sites, m.site)
		}
	}
	slices.Sort(sites)
	return v, slices.Compact(sites)
}

func (r *recorder) add(e *fielderrors.Error) {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if !strings.Contains(frame.Function, "util/validation/field.") {
			r.lock.Lock()
			defer r.lock.Unlock()
			r.made = append(r.made, made{e, siteOf(frame)})
			return
		}
		if !more {
			return
		}
	}
}

// siteOf names a place by the last three steps of its file and the line.
func siteOf(f runtime.Frame) string { return fmt.Sprintf("%s:%d", shortFile(f.File), f.Line) }
