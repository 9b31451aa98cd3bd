// Command oracle prints kube-apiserver's verdict on objects of built-in kinds as JSON, one line per document.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kindvet/kindvet/internal/oracle/builtin"
	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

func main() {
	old := flag.String("old", "", "file of the old object: the verdict is on an update")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(),
			"usage: oracle [-old FILE] [FILE...]\nReads standard input if there is no file or the file is -.")
		flag.PrintDefaults()
	}
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		files = []string{"-"}
	}
	if err := run(*old, files); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
}

func run(old string, files []string) error {
	server, err := builtin.New()
	if err != nil {
		return err
	}
	r := parity.Request{}
	if old != "" {
		text, err := os.ReadFile(old)
		if err != nil {
			return err
		}
		r.Old = string(text)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, file := range files {
		documents, err := read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for i, text := range documents {
			r.New, r.JSON = text, strings.HasSuffix(file, ".json")
			line := struct {
				File     string `json:"file"`
				Document int    `json:"document"`
				parity.Verdict
			}{file, i + 1, server.Verdict(r)}
			if err := out.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the documents of a file that are not empty.
func read(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if file == "-" {
		text, err = io.ReadAll(os.Stdin)
	}
	if err != nil || strings.HasSuffix(file, ".json") {
		return []string{string(text)}, err
	}
	var documents []string
	r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := r.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(document)) > 0 {
			documents = append(documents, string(document))
		}
	}
}
