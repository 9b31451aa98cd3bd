// Mutants breaks the packages in listed places and reports which breaks the tests see:
//
//	go run ./internal/mutants            # own tests of each package with listed breaks
//	go run ./internal/mutants lint run   # of some packages
//	go run ./internal/mutants -all       # for breaks that the own tests miss, the tests of all other packages, too
//
// A break is an entry in a file of the directory breaks: the file of the package, a name, what a user would see, and a
// hunk. [patch] compiles all breaks at once, each behind a variable that one file switches on. So each test program is
// built once and then run once per break, which takes minutes instead of hours.
//
// Add a break that matters: a user sees a wrong verdict, a wrong place, a lost finding, a crash or a run without an
// end. A break that changes nothing anyone could see is equivalent to the code; remove it.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
)

func main() {
	all := flag.Bool("all", false, "run the tests of all packages on the breaks that the own tests miss")
	only := flag.String("run", "", "only breaks whose name matches `regexp`")
	dir := flag.String("dir", "", "keep the patched files and test programs in `directory`, for the next call")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err == nil {
		err = mutate(options{all: *all, only: pattern, packages: flag.Args(), dir: *dir})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}
