// Command compare reads requests with kube-apiserver's verdicts from standard input, one case per line as the command
// mutate of internal/oracle/builtin prints them, and prints where kindvet differs:
//
//	(cd internal/oracle/builtin && go run ./cmd/mutate -n 100000 -seed 7) | go run ./testdata/compare
//
// It fails if there are other differences than rejections by validation that kindvet misses; with -all, these are differences, too.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/kindvet/kindvet/internal/catalog"
	"github.com/kindvet/kindvet/internal/diag"
	"github.com/kindvet/kindvet/internal/test/parity"
)

func main() {
	minor := flag.Int("minor", catalog.NewestKubernetes, "the minor version of Kubernetes 1")
	missed := flag.Int("missed", 0, "how many groups of missed rejections to print")
	isAll := flag.Bool("all", false, "also fail for missed rejections")
	elsewhere := flag.Int("elsewhere", 0, "how many groups of rejections at other fields to print")
	flag.Parse()
	all, err := compare(os.Stdin, *minor)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	groups := all.Groups()
	if *isAll {
		groups = append(groups, all.MissedGroups()...)
	}
	for _, groups := range [][]string{
		groups[:min(len(groups), mostGroups)], first(all.MissedGroups(), *missed), first(all.ElsewhereGroups(), *elsewhere),
		all.Kinds(), {all.Rates()},
	} {
		if len(groups) > 0 {
			fmt.Println(strings.Join(groups, "\n") + "\n")
		}
	}
	if len(groups) > 0 {
		fmt.Fprintf(os.Stderr, "compare: kindvet differs in %d ways\n", len(groups))
		os.Exit(1)
	}
}

// mostGroups is how many groups of differences are printed.
const mostGroups = 200

func first(groups []string, n int) []string { return groups[:min(len(groups), n)] }

// atOnce is how many cases are read before they are compared.
const atOnce = 1000

func compare(r io.Reader, minor int) (*parity.Comparison, error) {
	all := parity.NewComparison()
	in := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for {
		var cases []parity.Case
		var err error
		for len(cases) < atOnce && err == nil {
			var c parity.Case
			if err = in.Decode(&c); err == nil {
				cases = append(cases, c)
			}
		}
		ours := make([][]diag.Violation, len(cases))
		each(len(cases), func(i int) { ours[i] = parity.CheckBuiltin(minor, cases[i].Request) })
		for i, c := range cases {
			all.Add(c, ours[i])
		}
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
	}
}

// each calls f for each index below n, on all processors.
func each(n int, f func(i int)) {
	var workers sync.WaitGroup
	processors := runtime.GOMAXPROCS(0)
	for p := range processors {
		workers.Go(func() {
			for i := p; i < n; i += processors {
				f(i)
			}
		})
	}
	workers.Wait()
}
