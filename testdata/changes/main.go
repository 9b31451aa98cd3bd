// Changes prints what differs between two versions of Kubernetes, for a person who adds the newer one:
//
//	go run ./testdata/changes 1.36.3 1.37.2         # modules in the module cache only
//	go run ./testdata/changes -download 1.36.3 1.37.2
//	go run ./testdata/changes -lines 1.36.3 1.37.2  # with the lines of code
//
// Go ignores the directory testdata, so "go install ./..." does not install this program.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/kindvet/kindvet/internal/generate/changes"
)

func main() {
	var o changes.Options
	flag.BoolVar(&o.Download, "download", false, "download the modules that are not in the module cache")
	flag.BoolVar(&o.Lines, "lines", false, "print the changed lines of each function")
	flag.Parse()
	if err := changes.Print(os.Stdout, flag.Args(), o); err != nil {
		fmt.Fprintln(os.Stderr, "changes:", err)
		os.Exit(2)
	}
}
