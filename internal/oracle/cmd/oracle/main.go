// Command oracle prints the API server's verdict on manifests as JSON, one line per file.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kindvet/kindvet/internal/oracle"
	"github.com/kindvet/kindvet/internal/test/parity"
)

func main() {
	definition := flag.String("crd", "", "file of the CustomResourceDefinition")
	old := flag.String("old", "", "file of the old object: the verdict is on an update")
	status := flag.Bool("status", false, "check the status as a part of the object")
	flag.Parse()
	if err := run(*definition, *old, *status, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
}

func run(definition, old string, status bool, files []string) error {
	text, err := os.ReadFile(definition)
	if err != nil {
		return err
	}
	if _, err := oracle.Load(text); err != nil {
		return fmt.Errorf("%s: %w", definition, err)
	}
	server, err := oracle.Serve(text, status)
	if err != nil {
		return fmt.Errorf("%s: %w", definition, err)
	}
	r := parity.Request{}
	if old != "" {
		text, err := os.ReadFile(old)
		if err != nil {
			return err
		}
		r.Old = string(text)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		r.New, r.JSON = string(text), strings.HasSuffix(file, ".json")
		v, err := server.Verdict(versionOf(text, server), r)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		line, err := json.Marshal(struct {
			File string `json:"file"`
			parity.Verdict
			Object json.RawMessage `json:"object,omitempty"`
		}{file, v, v.Object})
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return nil
}

// versionOf returns the version that an object states if it is served, otherwise the first served version.
func versionOf(text []byte, server *oracle.Server) string {
	var object struct {
		APIVersion string `json:"apiVersion"`
	}
	served := server.Versions()
	if err := yaml.Unmarshal(text, &object); err == nil {
		_, version, _ := strings.Cut(object.APIVersion, "/")
		for _, v := range served {
			if v == version {
				return v
			}
		}
	}
	return served[0]
}
