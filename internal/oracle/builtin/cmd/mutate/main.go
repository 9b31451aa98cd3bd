// Command mutate prints mutated objects of built-in kinds with kube-apiserver's verdict as JSON, one case per line. The
// command testdata/compare of the main module compares them with kindvet's.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/kindvet/kindvet/internal/oracle/builtin"
	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

func main() {
	n := flag.Int("n", 1000, "number of cases")
	kind := flag.String("kind", "", "only objects of this kind, such as Pod")
	updates := flag.Bool("update", false, "draw updates")
	live := flag.Bool("live", false, "draw updates of live objects, which may be invalid")
	seed := flag.Uint64("seed", 1, "where to start drawing")
	seeds := flag.String("seeds", "testdata/seeds", "directory of the valid objects")
	flag.Parse()
	server, m, err := builtin.Start(*seeds, *seed, *kind)
	if err == nil {
		draw := m.Next
		switch {
		case *live:
			draw = m.NextLive
		case *updates:
			draw = m.NextUpdate
		}
		err = run(server, draw, *n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

// atOnce is how many cases are drawn before the server is asked.
const atOnce = 1000

func run(server *builtin.Server, draw func() parity.Case, n int) error {
	buffer := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(buffer)
	out.SetEscapeHTML(false)
	for ; n > 0; n -= atOnce {
		cases := make([]parity.Case, min(n, atOnce))
		for i := range cases {
			cases[i] = draw()
		}
		builtin.Each(len(cases), func(i int) { cases[i].Verdict = server.Verdict(cases[i].Request) })
		var errs []error
		for _, c := range cases {
			errs = append(errs, out.Encode(c))
		}
		if err := errors.Join(append(errs, buffer.Flush())...); err != nil {
			return err
		}
	}
	return nil
}
