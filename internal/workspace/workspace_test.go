package workspace

import (
	"context"
	"os"

	"github.com/kindvet/kindvet/internal/find"
)

// runHere is Run for paths from the working directory of the test. It lists each finding.
func runHere(ctx context.Context, o Options) (Result, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Result{}, err
	}
	o.Files.Base, o.Report.Each = find.OnDisk(dir), true
	return Run(ctx, o)
}
