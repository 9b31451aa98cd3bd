// Command record asks the server for its verdicts on recorded cases, and prints the cases with these verdicts as JSON,
// one case per line. With -differences, it writes only the verdicts that differ from the recorded ones, into a file:
//
//	record -differences testdata/versions/1.32.jsonl.gz testdata/cases.jsonl.gz testdata/sites.jsonl.gz
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kindvet/kindvet/internal/oracle/builtin"
	"github.com/kindvet/kindvet/internal/oracle/builtin/parity"
)

func main() {
	file := flag.String("differences", "", "`FILE` for the verdicts that differ from the recorded ones")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: record [flags] FILE...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*file, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(2)
	}
}

func run(to string, files []string) error {
	server, err := builtin.New()
	if err != nil {
		return err
	}
	var all []parity.Difference
	for _, file := range files {
		cases, err := parity.ReadCases(file)
		if err != nil {
			return err
		}
		verdicts := make([]parity.Verdict, len(cases))
		builtin.Each(len(cases), func(i int) { verdicts[i] = server.Verdict(cases[i].Request) })
		if to == "" {
			err = write(cases, verdicts)
		} else {
			var differences []parity.Difference
			differences, err = builtin.Differences(filepath.ToSlash(file), cases, verdicts)
			all = append(all, differences...)
		}
		if err != nil {
			return err
		}
	}
	if to == "" {
		return nil
	}
	return parity.WriteCases(to, all)
}

func write(cases []parity.Case, verdicts []parity.Verdict) error {
	buffer := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(buffer)
	out.SetEscapeHTML(false)
	var errs []error
	for i, c := range cases {
		c.Verdict = verdicts[i]
		errs = append(errs, out.Encode(c))
	}
	return errors.Join(append(errs, buffer.Flush())...)
}
