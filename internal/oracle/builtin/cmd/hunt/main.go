//go:build sites

// Command hunt draws mutated objects and records, for each error site of upstream's validation, the simplest case in
// which it makes an error. It keeps the recorded cases, except where it finds simpler ones, and records the written
// cases of testdata/written. Build it as the command instrument says:
//
//	go run -tags sites -modfile "$(go run ./cmd/instrument)" ./cmd/hunt -n 100000 -seed 2
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/kindvet/kindvet/internal/oracle/builtin"
	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

func main() {
	n := flag.Int("n", 10000, "how many objects to draw; one in four is an update")
	seed := flag.Uint64("seed", 1, "where to start drawing")
	kind := flag.String("kind", "", "only objects of this kind")
	seeds := flag.String("seeds", "testdata/seeds", "directory of the valid objects")
	record := flag.String("record", "testdata/sites.jsonl.gz", "file of the recorded cases")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: hunt [flags] [FILE...]\nThe documents of the files are cases, too.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*n, *seed, *kind, *seeds, *record, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "hunt:", err)
		os.Exit(2)
	}
}

// longest is the maximum size in bytes of an object of a file.
const longest = 8 << 10

func run(n int, start uint64, kind, seeds, record string, files []string) error {
	server, m, err := builtin.Start(seeds, start, kind)
	if err != nil {
		return err
	}
	cases, err := parity.ReadCases(record)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	written, err := builtin.ReadWritten("testdata/written")
	if err != nil {
		return err
	}
	found := builtin.NewSites(server, written)
	for _, c := range cases {
		found.Add(c)
	}
	for _, file := range files {
		objects, err := builtin.ReadSeeds(file)
		if err != nil {
			return err
		}
		for _, text := range objects {
			if kind := builtin.KindOf(text); kind != "" && len(text) < longest {
				found.Add(parity.Case{Name: "from a file", Kind: kind, Request: parity.Request{New: text}})
			}
		}
	}
	for i := range n {
		c := m.Next()
		if i%4 == 0 {
			c = m.NextUpdate()
		}
		found.Add(c)
		if (i+1)%5000 == 0 {
			fmt.Fprintf(os.Stderr, "%d cases, %d sites\n", i+1, found.Len())
		}
	}
	return parity.WriteCases(record, found.Cases())
}
