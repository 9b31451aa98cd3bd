// Generate writes the inputs of the benchmarks, and the schemas in the forms that the peers read, into a folder.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

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
	swagger, err := kubernetesAPI()
	if err != nil {
		return err
	}
	if err := bench.WriteKubernetesSchemas(filepath.Join(*dir, bench.JSONSchemasDir), swagger); err != nil {
		return err
	}
	return in.Write(*dir)
}

// kubernetesVersion is the newest version that kindvet knows.
const kubernetesVersion = "v1.36.3"

// kubernetesAPI returns the file that says what Kubernetes serves, from the module of Kubernetes in the module cache.
func kubernetesAPI() ([]byte, error) {
	c := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@"+kubernetesVersion)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(text, &module); err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return os.ReadFile(filepath.Join(module.Dir, "api", "openapi-spec", "swagger.json"))
}
