package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kindvet/kindvet/internal/catalog"
)

// A release build sets these with -ldflags -X. Other builds know their module version and, if made in a git clone,
// the commit.
var version, commit, date string

// build describes the build of a program. Its fields are those of 'version -o json'.
type build struct {
	Version string `json:"version"` // without "v" in release builds, otherwise as in modules; "(devel)" if unknown
	Commit  string `json:"commit"`  // full hash; "" if unknown
	Date    string `json:"date"`    // of the commit, RFC 3339; "" if unknown
	// Modified reports whether the working tree had uncommitted changes.
	Modified bool `json:"modified"`
	// Registry is the hash of the embedded kind definitions. Two programs with the same hash know the same schemas.
	Registry string `json:"registry"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionCommand(s *Streams) *cobra.Command {
	format := "text"
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and the hash of the built-in kinds",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			switch format {
			case "text":
				_, err := fmt.Fprintln(s.Out, b)
				return err
			case "json":
				return b.writeJSON(s.Out)
			}
			return invalidValue("output", format, "use text or json")
		},
	}
	c.Flags().StringVarP(&format, "output", "o", format, "`FORMAT` of the output: text or json")
	return c
}

// addVersionFlag adds the flag --version, which installers and images use.
func addVersionFlag(root *cobra.Command, s *Streams) {
	wanted := root.Flags().Bool("version", false, "print the version")
	help := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if !*wanted {
			return help(c, args)
		}
		_, err := fmt.Fprintln(s.Out, thisBuild())
		return err
	}
}

// thisBuild describes the build of the running program.
func thisBuild() build {
	b := newBuild(debug.ReadBuildInfo())
	b.Registry = catalog.Hash()
	return b
}

// versionText returns only the version, for reports.
func versionText() string { return newBuild(debug.ReadBuildInfo()).Version }

// newBuild combines the values set by the release build with those recorded by the go command. It does not set
// Registry.
func newBuild(info *debug.BuildInfo, ok bool) build {
	b := build{
		Version: version, Commit: commit, Date: date,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if ok {
		b.fill(info)
	}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	return b
}

// fill sets the fields that the release build has not set, from the data of the go command.
func (b *build) fill(info *debug.BuildInfo) {
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			if b.Commit == "" {
				b.Commit = setting.Value
			}
		case "vcs.time":
			if b.Date == "" {
				b.Date = setting.Value
			}
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
}

// String returns one line with the version and other known fields. Hashes are cut to twelve digits.
func (b build) String() string {
	var known []string
	if b.Commit != "" {
		state := ""
		if b.Modified {
			state = ", modified"
		}
		known = append(known, fmt.Sprintf("commit %.12s%s", b.Commit, state))
	}
	if b.Date != "" {
		known = append(known, b.Date)
	}
	known = append(known, fmt.Sprintf("registry %.12s", b.Registry), b.Go, b.Platform)
	return "kindvet " + b.Version + " (" + strings.Join(known, ", ") + ")"
}

func (b build) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(b)
}
