// Generate writes the inputs of the benchmarks, and the schemas in the forms that the peers read, into a folder.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kindvet/kindvet/testdata/bench"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "generate: "+err.Error())
		os.Exit(2)
	}
}

func generate() error {
	in := bench.Published()
	dir := flag.String("folder", "", "`FOLDER` to write to (required)")
	flag.Uint64Var(&in.Seed, "seed", in.Seed, "other names and counts for another seed")
	flag.IntVar(&in.Documents, "documents", in.Documents, "documents in a stream")
	flag.IntVar(&in.Times, "times", in.Times, "how many times as long the long stream is; 0 for none")
	flag.Parse()
	if *dir == "" || flag.NArg() > 0 {
		flag.Usage()
		return fmt.Errorf("name the folder with -folder, and nothing else")
	}
	if err := bench.WriteDefinitions(filepath.Join(*dir, bench.DefinitionsDir)); err != nil {
		return err
	}
	if err := bench.WriteJSONSchemas(filepath.Join(*dir, bench.JSONSchemasDir)); err != nil {
		return err
	}
	return in.Write(*dir)
}
