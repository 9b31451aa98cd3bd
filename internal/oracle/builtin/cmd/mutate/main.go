// Command mutate prints mutated objects of built-in kinds with kube-apiserver's verdict as JSON, one case per line.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/kindvet/kindvet/internal/oracle/builtin"
)

func main() {
	n := flag.Int("n", 1000, "number of cases")
	kind := flag.String("kind", "", "only objects of this kind, such as Pod")
	updates := flag.Bool("update", false, "draw updates")
	seed := flag.Uint64("seed", 1, "where to start drawing")
	seeds := flag.String("seeds", "testdata/seeds", "directory of the valid objects")
	flag.Parse()
	if err := run(*n, *kind, *seed, *seeds, *updates); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

func run(n int, kind string, start uint64, seeds string, updates bool) error {
	server, mutator, err := builtin.Start(seeds, start, kind)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for range n {
		c := mutator.Next()
		if updates {
			c = mutator.NextUpdate()
		}
		c.Verdict = server.Verdict(c.Request)
		if err := out.Encode(c); err != nil {
			return err
		}
	}
	return nil
}
