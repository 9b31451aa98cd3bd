// Command kindvet validates Kubernetes manifests like an API server.
package main

import (
	"os"

	"github.com/kindvet/kindvet/internal/cli"
	"github.com/kindvet/kindvet/internal/collector"
)

func main() {
	collector.Delay()
	os.Exit(cli.Main(os.Args[1:], cli.System()))
}
