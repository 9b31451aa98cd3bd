// Command plant plants faults into objects that an API server creates, fixes them, and says what became of them:
//
//	go run ./testdata/plant -n 100000 -seed 7
//
// It fails if a fix leaves another text than the one without the fault, leads to a finding, or depends on the number of workers.
// With -requests, it prints the requests to create the fixed objects, one case per line, for the commands record of
// internal/oracle/builtin and compare. An interrupt ends it early. Run it in the root of the repository.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"

	"github.com/kindvet/kindvet/internal/test/parity"
	"github.com/kindvet/kindvet/internal/test/planted"
)

func main() {
	n := flag.Int("n", 10000, "how many faults to fix")
	seed := flag.Uint64("seed", 1, "where to start drawing")
	prints := flag.Bool("requests", false, "print requests instead of what became of the faults")
	flag.Parse()
	debug.SetGCPercent(400) // a fifth of the time
	if err := run(*n, *seed, *prints); err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(1)
	}
}

func run(n int, seed uint64, prints bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "kindvet-plant")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	objects, err := planted.Objects(ctx, filepath.Join("internal", "oracle"), dir)
	if err != nil {
		return err
	}
	trial, err := planted.NewTrial(objects, dir)
	if err != nil {
		return err
	}
	examples, err := planted.Examples(dir)
	if err != nil {
		return err
	}
	inExamples := 0
	out := bufio.NewWriter(os.Stdout)
	if prints {
		requests := json.NewEncoder(out)
		requests.SetEscapeHTML(false)
		trial.Fixes = func(c parity.Case) error { return requests.Encode(c) }
	}
	for batch := uint64(0); trial.Count()+inExamples < n && len(trial.Wrong) < mostWrong && ctx.Err() == nil; batch++ {
		r := rand.New(rand.NewPCG(seed, batch))
		if err := trial.Batch(context.WithoutCancel(ctx), r); err != nil {
			return err
		}
		for _, e := range examples {
			fixes, wrong := e.Fix(r)
			if inExamples += fixes; wrong != "" {
				trial.Wrong = append(trial.Wrong, wrong)
			}
		}
	}
	for _, wrong := range trial.Wrong {
		fmt.Fprintln(os.Stderr, wrong)
	}
	fmt.Fprintf(os.Stderr, "%d fixes in examples of %d lint rules; %d objects, %v", inExamples, len(examples), len(objects), trial)
	if err := out.Flush(); err != nil {
		return err
	}
	if len(trial.Wrong) > 0 {
		return fmt.Errorf("%d results are wrong", len(trial.Wrong))
	}
	return nil
}

// mostWrong is how many wrong results end the run.
const mostWrong = 100
