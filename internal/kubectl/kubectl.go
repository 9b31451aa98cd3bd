// Package kubectl reads the CustomResourceDefinitions of the current cluster. Only 'kindvet schemas add cluster' uses
// it. It runs the kubectl program, which knows how to connect to the cluster.
package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/kindvet/kindvet/internal/program"
)

// maxComplaint is the maximum number of bytes of an error message of kubectl that are kept. Without it, a program that
// prints without end would fill the memory.
const maxComplaint = 4 << 10

// CRDs returns the CustomResourceDefinitions of the current cluster as JSON, at most limit bytes. It does not use a
// kubectl program below the directory checked.
func CRDs(ctx context.Context, checked string, limit int64) (string, error) {
	kubectl, err := program.Find("kubectl", checked)
	if err != nil {
		return "", err
	}
	running, end := context.WithCancel(ctx)
	defer end()
	c := exec.CommandContext(running, kubectl, "get", "customresourcedefinitions.apiextensions.k8s.io", "-o", "json",
		"--request-timeout=60s")
	c.WaitDelay = time.Second
	var complaint bytes.Buffer
	c.Stderr = &head{&complaint}
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	var text strings.Builder
	n, readErr := io.Copy(&text, io.LimitReader(out, limit+1))
	if n > limit {
		end()
	}
	err = c.Wait()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case n > limit:
		return "", fmt.Errorf("kubectl printed more than %d MiB", limit>>20)
	case err != nil:
		return "", fmt.Errorf("kubectl: %s", reason(complaint.String(), err))
	}
	return text.String(), readErr
}

// reason returns the first line of an error message of kubectl.
func reason(complaint string, err error) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(complaint), "\n"); line != "" {
		return line
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return "did not end"
	}
	return err.Error()
}

// head keeps the start of the bytes written to it.
type head struct{ text *bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	h.text.Write(p[:min(len(p), maxComplaint-h.text.Len())])
	return len(p), nil
}
