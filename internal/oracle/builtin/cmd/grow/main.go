// Command grow prints objects of built-in kinds that kube-apiserver accepts and that have fields that the seeds do
// not.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/kindvet/kindvet/internal/oracle/builtin"
)

func main() {
	tries := flag.Int("tries", 100000, "how many objects to try")
	seed := flag.Uint64("seed", 1, "where to start drawing")
	seeds := flag.String("seeds", "testdata/seeds", "directory of the valid objects")
	flag.Parse()
	texts, err := run(*tries, *seed, *seeds)
	if err != nil {
		fmt.Fprintln(os.Stderr, "grow:", err)
		os.Exit(2)
	}
	fmt.Print(strings.Join(texts, "---\n"))
}

func run(tries int, start uint64, seeds string) ([]string, error) {
	server, mutator, err := builtin.Start(seeds, start, "")
	if err != nil {
		return nil, err
	}
	return server.Grow(mutator, tries), nil
}
