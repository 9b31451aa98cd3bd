// Command site writes the documentation as a static site.
//
// It reads the pages of the repository, Markdown as GitHub shows it: the README, docs and the pages of the rules.
// Every page keeps its path, with the ending .html, so links between pages stay relative and the site works below any
// address, also from a file system. Links to other files of the repository lead to GitHub.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "", "`DIRECTORY` to write the site to")
	root := flag.String("repository", filepath.Join("..", ".."), "`DIRECTORY` of the repository")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := build(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}
