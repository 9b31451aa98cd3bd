// Mutants breaks the packages in listed places and reports which breaks the tests see:
//
//	go run ./testdata/mutants            # own tests of each package with listed breaks
//	go run ./testdata/mutants chart run  # of some packages
//	go run ./testdata/mutants -all       # for breaks that the own tests miss, the tests of all other packages, too
//
// Go ignores the directory testdata, so "go install ./..." does not install this program.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/kindvet/kindvet/internal/test/mutants"
)

func main() {
	all := flag.Bool("all", false, "run the tests of all packages on the breaks that the own tests miss")
	only := flag.String("run", "", "only breaks whose name matches `regexp`")
	dir := flag.String("dir", "", "keep the patched files and test programs in `directory`, for the next call")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err == nil {
		err = mutants.Try(mutants.Options{All: *all, Only: pattern, Packages: flag.Args(), Dir: *dir})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
