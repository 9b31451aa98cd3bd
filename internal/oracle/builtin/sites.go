//go:build sites

package builtin

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	fielderrors "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
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

// SiteVerdict returns the verdict on a request, whose causes name the error sites behind them, such as
// "core/validation/validation.go:123". A cause that two sites make appears twice. Only one goroutine may call it.
func (s *Server) SiteVerdict(r parity.Request) parity.Verdict {
	var all recorder
	fielderrors.Record = all.add
	v := s.Verdict(r)
	fielderrors.Record = nil
	if v.Stage == "validation" || v.Stage == "request" {
		v.Causes = all.withSites(v.Causes)
	}
	return v
}

// withSites returns causes with their sites.
func (r *recorder) withSites(causes []parity.Cause) []parity.Cause {
	r.lock.Lock()
	defer r.lock.Unlock()
	var out []parity.Cause
	for _, c := range causes {
		made := len(out)
		for _, m := range r.made {
			if c.Field == m.err.Field && c.Message == m.err.ErrorBody() ||
				c.Field == "" && strings.Contains(c.Message, m.err.Error()) {
				c.Site = m.site
				out = append(out, c)
			}
		}
		if len(out) == made {
			out = append(out, c)
		}
	}
	return out
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
